import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { EngineStandIn } from '../../../test/support/engine-stand-in.ts'
import { ManualTime } from '../../../test/support/manual-time.ts'
import { quietLog } from '../../../test/support/quiet-log.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { readConfig } from '../../core/config.ts'
import { createProxyControl } from './create.ts'
import { nginxMasters } from './host-nginx.ts'

let root = ''
let proc = ''
let standIn: EngineStandIn
let time: ManualTime

beforeEach(() => {
  root = tempFolder('reopen')
  proc = join(root, 'proc')
  mkdirSync(proc)
  standIn = new EngineStandIn(root)
  time = new ManualTime('2026-11-21T12:00:00.000Z')
})
afterEach(() => standIn.stop())

const control = (environment: Record<string, string> = {}) => {
  const config = readConfig({
    DOCKER_HOST: standIn.address,
    LanCache__LogPath: '/srv/logs',
    LanCache__CachePath: '/srv/cache',
    ...environment,
  })
  return createProxyControl({ config, clock: time, log: quietLog, proc })
}
const withoutEngine = () => ({ DOCKER_HOST: `unix://${join(root, 'none.sock')}` })

/** Adds a process to the list, with the file it writes to. */
function addProcess(pid: number, title: string, file?: string): void {
  mkdirSync(join(proc, String(pid), 'fd'), { recursive: true })
  writeFileSync(join(proc, String(pid), 'cmdline'), `${title}\0`)
  if (file !== undefined) symlinkSync(file, join(proc, String(pid), 'fd', '5'))
}

describe('a container', () => {
  test.each([
    ['by its settings', { name: 'a', environment: ['CACHE_DISK_SIZE=1g'] }],
    ['by its image', { name: 'a', environment: [], image: 'lancachenet/monolithic:latest' }],
    ['by its name', { name: 'my-lancache', environment: [] }],
  ])('is found %s and signalled by a command', async (_how, container) => {
    standIn.containers = [
      { name: 'lancache-dns', environment: [], image: 'lancachenet/lancache-dns' },
      container,
    ]
    const proxy = control()
    expect(await proxy.availability()).toEqual({
      isEnabled: true,
      canReopen: true,
      way: 'container',
      target: container.name,
      hint: 'none',
      command: null,
    })
    expect(await proxy.reopenLogs()).toMatchObject({ isDone: true })
    expect(standIn.orders).toEqual([expect.stringContaining(`${container.name} sh -c`)])
    expect(standIn.orders[0]).toContain('kill -USR1')
  })

  test('without a shell is signalled by nginx itself, with its running configuration', async () => {
    const processes = ['tini', 'nginx: master process /opt/nginx -g daemon off; -c /etc/n.conf']
    const container = { name: 'a', environment: ['CACHE_DISK_SIZE=1g'], processes }
    for (const missing of [null, 126, 127]) {
      standIn.containers = [{ ...container, exitCodes: { sh: missing } }]
      expect(await control().reopenLogs()).toMatchObject({ isDone: true })
      expect(standIn.orders.at(-1)).toBe('a /opt/nginx -c /etc/n.conf -s reopen')
    }
  })

  test.each([
    ['has no nginx', { exitCodes: { sh: 3 } }, 'no nginx runs in the container a'],
    ['may not signal it', { exitCodes: { sh: 4 } }, 'no command could signal nginx'],
    ['runs no commands', { exitCodes: { sh: null, nginx: null } }, 'no command could signal nginx'],
    ['is paused', { isPaused: true }, 'the container a is paused'],
  ])('that %s is not signalled, with the reason', async (_what, rest, reason) => {
    standIn.containers = [{ name: 'a', environment: ['CACHE_DISK_SIZE=1g'], ...rest }]
    const outcome = await control().reopenLogs()
    expect(outcome).toMatchObject({ isDone: false, canReopen: false, target: 'a' })
    expect(outcome.message).toContain(reason)
    const isPaused = 'isPaused' in rest
    expect(outcome.command).toBe(isPaused ? 'docker unpause a' : 'docker exec a nginx -s reopen')
    expect(standIn.orders.join()).not.toMatch(/ kill SIG/)
  })

  test('that is paused is reported before it is tried', async () => {
    standIn.containers = [{ name: 'a', environment: ['CACHE_DISK_SIZE=1g'], isPaused: true }]
    expect(await control().availability()).toMatchObject({
      canReopen: false,
      way: 'container',
      target: 'a',
      command: 'docker unpause a',
    })
  })

  test('of several, all are signalled; one that is no proxy is ignored', async () => {
    const environment = ['CACHE_DISK_SIZE=1g']
    standIn.containers = [
      { name: 'a', environment, exitCodes: { sh: 3 } },
      { name: 'b', environment },
      { name: 'c', environment, isPaused: true },
    ]
    expect(await control().reopenLogs()).toMatchObject({ isDone: false, target: 'a, b, c' })
    standIn.containers.pop()
    expect(await control().reopenLogs()).toMatchObject({ isDone: true, target: 'a, b' })
    expect(standIn.orders.filter((order) => order.startsWith('b sh'))).toHaveLength(2)
    standIn.containers.push({ name: 'd', environment, mounts: ['/srv/logs'] })
    for (const container of standIn.containers.slice(0, 2)) container.isPaused = true
    expect(await control().reopenLogs()).toMatchObject({ isDone: true, target: 'd' })
  })

  test('is not guessed when another one is configured', async () => {
    standIn.containers = [{ name: 'a', environment: ['CACHE_DISK_SIZE=1g'] }]
    expect(await control({ NginxLogRotation__ContainerName: 'b' }).availability()).toMatchObject({
      canReopen: false,
      hint: 'mountDockerSocket',
      command: 'docker exec b nginx -s reopen',
    })
  })
})

describe('a process', () => {
  test('is an nginx master; one that writes into our folders is preferred', () => {
    addProcess(10, 'nginx: worker process')
    addProcess(11, 'nginx: master process nginx', '/srv/other/access.log')
    expect(nginxMasters(['/srv/logs'], proc)).toEqual([11])
    addProcess(12, 'nginx: master process nginx', '/srv/logs/access.log (deleted)')
    expect(nginxMasters(['/srv/logs'], proc)).toEqual([12])
  })

  test('gets the signal', async () => {
    const child = Bun.spawn(
      ['sh', '-c', 'trap "exit 7" USR1; echo up; while :; do sleep 0.01; done'],
      {
        stdout: 'pipe',
      },
    )
    await child.stdout.getReader().read()
    addProcess(child.pid, 'nginx: master process nginx')
    const outcome = await control(withoutEngine()).reopenLogs()
    expect(outcome).toMatchObject({ isDone: true, way: 'process', target: String(child.pid) })
    expect(await child.exited).toBe(7)
  })

  test('that may not be signalled, or is gone, yields a hint and a command', async () => {
    // Above the highest possible process id.
    addProcess(99_999_999, 'nginx: master process nginx')
    expect(await control(withoutEngine()).reopenLogs()).toMatchObject({
      isDone: false,
      canReopen: false,
      hint: 'grantSignalPrivilege',
      command: 'sudo nginx -s reopen',
    })
  })
})

test('without a target, suggests the manual command', async () => {
  const outcome = await control(withoutEngine()).reopenLogs()
  const detail = 'no nginx was found'
  expect(outcome).toMatchObject({ isDone: false, way: null, target: null, detail })
  expect(outcome.command).toContain('nginx -s reopen')
})

test('when disabled, nothing is signalled', async () => {
  standIn.containers = [{ name: 'a', environment: ['CACHE_DISK_SIZE=1g'] }]
  const proxy = control({ NginxLogRotation__Enabled: 'false' })
  expect(await proxy.reopenLogs()).toMatchObject({
    isEnabled: false,
    isDone: false,
    command: 'docker exec a nginx -s reopen',
  })
  expect(standIn.orders).toEqual([])
})

test('availability is checked every 30 seconds at most', async () => {
  const proxy = control()
  await proxy.availability()
  const asked = standIn.requests
  await time.advance(29_000)
  await proxy.availability()
  expect(standIn.requests).toBe(asked)
  await time.advance(2000)
  await proxy.availability()
  expect(standIn.requests).toBeGreaterThan(asked)
})
