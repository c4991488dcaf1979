import { describe, expect, test } from 'bun:test'
import { appendFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { testApp } from '../../../test/support/app.ts'
import { logLine } from '../../../test/support/log-lines.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { signInAs } from '../../../test/support/sign-in.ts'
import type { Checklist } from './model.ts'
import { readConfig } from '../../core/config.ts'
import { createRemedies } from './remedies.ts'

const path = '/api/ext/setup/checklist'

const app = await testApp()
const user = await signInAs(app, 'user')

async function checklist(): Promise<Checklist> {
  const answer = await user.get(path)
  expect(answer.status).toBe(200)
  return (await answer.json()) as Checklist
}
const check = async (part: string) => (await checklist()).checks.find((one) => one.part === part)

test('commands about the folder of a node are for its machine', () => {
  const remedies = createRemedies(readConfig({}), false)
  expect(remedies.list('attic:/srv/my logs')).toBe(remedies.list('/srv/my logs'))
  expect(createRemedies(readConfig({}), true).mountLog('attic:/logs')).toContain('logs:/logs:ro')
})

test('from a missing folder to a log that is understood', async () => {
  const logs = join(app.root, 'logs')
  const log = join(logs, 'access.log')
  renameSync(logs, `${logs}-away`)
  expect(await check('log')).toMatchObject({ problem: 'missing', state: 'bad', path: logs })
  expect(await check('lines')).toBeUndefined()
  renameSync(`${logs}-away`, logs)
  const noLog = { problem: 'noLog', state: 'attention' }
  expect(await check('log')).toMatchObject({ ...noLog, entries: [] })
  mkdirSync(join(logs, 'nginx'))
  expect(await check('log')).toMatchObject({ ...noLog, entries: ['nginx'] })
  writeFileSync(log, '')
  const found = { problem: 'none', state: 'good', entries: [], remedy: null }
  expect(await check('log')).toMatchObject(found)
  expect(await check('lines')).toMatchObject({ problem: 'empty', state: 'attention' })
  writeFileSync(log, '10.0.0.1 - - "GET /"\n')
  expect(await check('lines')).toMatchObject({
    problem: 'unknown',
    state: 'bad',
    detail: '10.0.0.1 - - "GET /"',
    remedy: expect.stringContaining('log_format cachelog'),
  })
  appendFileSync(log, logLine({}).repeat(3))
  expect(await check('lines')).toMatchObject({ problem: 'partly', lines: 4, understood: 3 })
  appendFileSync(log, logLine({}).repeat(30))
  expect(await check('lines')).toMatchObject({
    problem: 'none',
    state: 'good',
    format: 'cachelog',
    lines: 34,
    understood: 33,
    remedy: null,
  })
})

test('the cache folder', async () => {
  expect(await check('cacheRead')).toMatchObject({ problem: 'none', state: 'good' })
  expect(await check('cacheWrite')).toMatchObject({ problem: 'none', state: 'good' })
  const cache = join(app.root, 'cache')
  rmSync(cache, { recursive: true })
  expect(await check('cacheRead')).toMatchObject({ problem: 'missing', state: 'bad' })
  expect(await check('cacheWrite')).toBeUndefined()
  mkdirSync(cache)
})

test('the database', async () => {
  expect(await check('database')).toMatchObject({
    problem: 'away',
    state: 'bad',
    remedy: 'pg_isready -h 127.0.0.1 -p 1',
  })
})

test('a log that cannot be read comes first, whichever datasource it belongs to', async () => {
  const folder = tempFolder('sources')
  const sources = ['whole', 'away'].map((name) => ({ name, path: join(folder, name) }))
  mkdirSync(join(folder, 'whole'))
  writeFileSync(join(folder, 'whole', 'access.log'), logLine({}))
  const environment = sources.flatMap(({ name, path: logs }, index) => {
    const prefix = `LanCache__DataSources__${index}__`
    return [
      [`${prefix}Name`, name],
      [`${prefix}LogPath`, logs],
      [`${prefix}CachePath`, folder],
    ]
  })
  const other = await testApp({ environment: Object.fromEntries(environment) })
  const answer = await (await signInAs(other, 'user')).get(path)
  const { checks } = (await answer.json()) as Checklist
  expect(checks[0]).toMatchObject({ part: 'log', datasource: 'away', problem: 'missing' })
  expect(checks[1]).toMatchObject({ part: 'log', datasource: 'whole', problem: 'none' })
})

test('every remedy that is offered is a text', async () => {
  for (const { state, remedy } of (await checklist()).checks) {
    if (state !== 'good') expect(remedy).toBeString()
  }
})

describe('remedies', () => {
  const { postgres } = readConfig({})
  const inContainer = createRemedies({ dataPath: '/data', postgres }, true)
  const onHost = createRemedies({ dataPath: "/srv/it's here", postgres }, false)

  test('in a container: lines for compose.yaml and commands for its host', () => {
    expect(inContainer.mountLog('/logs')).toBe('volumes:\n  - ./lancache/logs:/logs:ro')
    expect(inContainer.owner('/cache')).toBe(
      `docker compose exec larder stat -c "user: '%u:%g'" /cache`,
    )
    expect(inContainer.database).toBe('docker compose logs --tail 50 larder')
  })

  test('on a host: commands, with paths as one word of the shell', async () => {
    expect(onHost.database).toBe(String.raw`df -h '/srv/it'\''s here'`)
    const odd = join(app.root, "logs' $(touch x)")
    mkdirSync(odd)
    const command = createRemedies({ dataPath: '/data', postgres }, false).owner(odd)
    const child = Bun.spawn(['sh', '-c', command], { stdout: 'pipe', stderr: 'inherit' })
    expect(await new Response(child.stdout).text()).toMatch(/^\S+:\S+\n$/)
    expect(await child.exited).toBe(0)
    rmSync(odd, { recursive: true })
  })
})
