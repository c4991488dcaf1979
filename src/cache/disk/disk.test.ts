import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openState, type StateDatabase } from '../../../db/state/open.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { EngineStandIn } from '../../../test/support/engine-stand-in.ts'
import { ManualTime } from '../../../test/support/manual-time.ts'
import { quietLog } from '../../../test/support/quiet-log.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { readConfig } from '../../core/config.ts'
import { createDiskEngine, type DiskEngine } from '../../engines/disk/facade.ts'
import { settingRules } from '../../app.ts'
import { createSettings } from '../../core/settings/settings.ts'
import type { Disk } from './contract.ts'
import { createDisk } from './create.ts'

const gib = 1024 ** 3
const fiveMinutesMs = 300_000
let root: string
let time: ManualTime
let engine: DiskEngine
let state: StateDatabase
let containers: EngineStandIn

beforeEach(() => {
  root = tempFolder('limits')
  time = new ManualTime()
  engine = createDiskEngine({ log: quietLog, clock: time })
  state = openState(root)
  containers = new EngineStandIn(root)
})
afterEach(async () => {
  engine.stop()
  state.close()
  await containers.stop()
})

function create(environment: Record<string, string> = {}, script?: string) {
  const names = ['one', 'two']
  const paths = names.flatMap((name, index) => {
    mkdirSync(join(root, name), { recursive: true })
    const prefix = `LanCache__DataSources__${index}__`
    return [
      [`${prefix}Name`, name],
      [`${prefix}CachePath`, join(root, name)],
      [`${prefix}LogPath`, join(root, name)],
    ]
  })
  const config = readConfig({
    DOCKER_HOST: `unix://${join(root, 'no.sock')}`,
    ...Object.fromEntries(paths),
    ...environment,
  })
  if (script !== undefined) {
    engine.stop()
    engine = createDiskEngine({ log: quietLog, clock: time, timers: time, script })
  }
  const settings = createSettings(state, time, settingRules)
  return createDisk({ config, settings, engine, clock: time, log: quietLog })
}

/** The limit, once it has a certain source: a request does not wait long for a slow engine. */
async function limitFrom(disk: Disk, source: string) {
  await eventually(async () => (await disk.limit('one')).source === source, `a limit by ${source}`)
  return disk.limit('one')
}

describe('the limit of a cache', () => {
  test('is entered, else from the proxy, else its settings file, else the disk', async () => {
    writeFileSync(join(root, '.env'), 'SECRET=x\nexport CACHE_DISK_SIZE="500g" # the old disk\n')
    containers.containers = [{ name: 'cache', environment: ['CACHE_DISK_SIZE=2t'] }]
    const capacity = statfsSync(root).blocks * statfsSync(root).bsize

    const plain = create()
    expect(await plain.limit('one')).toEqual({
      overrideBytes: null,
      resolvedBytes: capacity,
      source: 'fullDisk',
    })
    expect(await plain.configuredBytes()).toBe(0)

    const byFile = create({ LanCache__EnvFilePath: root })
    expect((await limitFrom(byFile, 'env')).resolvedBytes).toBe(500 * gib)

    const both = { LanCache__EnvFilePath: join(root, '.env'), DOCKER_HOST: containers.address }
    const disk = create(both)
    expect((await limitFrom(disk, 'docker')).resolvedBytes).toBe(2048 * gib)
    expect(await disk.configuredBytes()).toBe(2048 * gib)

    disk.setLimit('ONE', 100 * gib)
    expect(await disk.limit('one')).toMatchObject({ overrideBytes: 100 * gib, source: 'manual' })
    expect(await disk.configuredBytes()).toBe(2148 * gib)
    disk.setLimit('one', null)
    expect((await disk.limit('one')).source).toBe('docker')
    expect(() => disk.setLimit('none', 1)).toThrow('Datasource not found')
  })

  test('may be the whole disk whatever the proxy’s limit', async () => {
    containers.containers = [{ name: 'cache', environment: ['CACHE_DISK_SIZE=1g'] }]
    const disk = create({ DOCKER_HOST: containers.address })
    disk.setLimit('two', 'fullDisk')
    const { capacityBytes } = await disk.space('two')
    expect(await disk.limit('two')).toEqual({
      overrideBytes: null,
      resolvedBytes: capacityBytes,
      source: 'fullDisk',
    })
    await limitFrom(disk, 'docker')
    expect(await disk.configuredBytes()).toBe(gib + capacityBytes)
    disk.setLimit('one', 'fullDisk')
    expect(await disk.configuredBytes()).toBe(0)
  })

  test('a whole disk is added to entered limits, once', async () => {
    const disk = create()
    disk.setLimit('one', gib)
    const { capacityBytes } = await disk.space('two')
    expect(await disk.configuredBytes()).toBe(gib + capacityBytes)
    disk.setLimit('two', 2 * gib)
    expect(await disk.configuredBytes()).toBe(3 * gib)
  })

  test('the container engine is queried every five minutes at most', async () => {
    containers.containers = [{ name: 'cache', environment: ['CACHE_DISK_SIZE=1g'] }]
    const disk = create({ DOCKER_HOST: containers.address })
    await Promise.all([disk.limit('one'), disk.limit('two'), disk.configuredBytes()])
    await limitFrom(disk, 'docker')
    const asked = containers.requests
    containers.containers = [{ name: 'cache', environment: ['CACHE_DISK_SIZE=3g'] }]
    expect((await disk.limit('one')).resolvedBytes).toBe(gib)
    expect(containers.requests).toBe(asked)
    await time.advance(fiveMinutesMs)
    await eventually(
      async () => (await disk.limit('one')).resolvedBytes === 3 * gib,
      'the new limit is read',
    )
  })

  test('an invalid size and a missing proxy are ignored', async () => {
    containers.containers = [{ name: 'cache', environment: ['CACHE_DISK_SIZE=lots'] }]
    expect((await create({ DOCKER_HOST: containers.address }).limit('one')).source).toBe('fullDisk')
    containers.containers = []
    expect((await create({ DOCKER_HOST: containers.address }).limit('one')).source).toBe('fullDisk')
  })
})

describe('the disk of a cache', () => {
  test('has its file system’s figures', async () => {
    const space = await create().space('one')
    expect(space.state).toBe('ok')
    expect(space.usedBytes).toBe(space.capacityBytes - space.freeBytes)
    expect(space.capacityBytes).toBeGreaterThan(0)
  })

  test('has no figures when missing', async () => {
    const disk = create()
    rmSync(join(root, 'two'), { recursive: true })
    expect(await disk.space('two')).toMatchObject({ state: 'missing', capacityBytes: 0 })
  })

  test('is given up when unresponsive, and others are not', async () => {
    const script = new URL('../../../test/support/hanging-disk.worker.ts', import.meta.url).href
    const disk = create({}, script)
    rmSync(join(root, 'one'), { recursive: true })
    expect(Bun.spawnSync(['mkfifo', join(root, 'one')]).exitCode).toBe(0)
    const [dead, alive] = [disk.space('one'), disk.space('two')]
    await time.advance(2000)
    expect(await dead).toMatchObject({ state: 'unresponsive', capacityBytes: 0 })
    expect((await alive).state).toBe('ok')
  })
})
