import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { IngestStatus } from '../../src/engines/logs/wire.ts'
import { installationKey, Visitor } from '../../src/demo/visitor.ts'
import { expectTotals } from './expect-totals.ts'
import { labAccount, Larder } from './larder.ts'
import { LogWriter } from './log-writer.ts'
import { referenceCount } from './reference-count.ts'
import { eventually } from '../support/eventually.ts'

const root = mkdtempSync(join(tmpdir(), 'larder-first-'))
let site = ''
let sites = 0

const logPath = () => join(site, 'logs')
const start = () =>
  Larder.start({
    dataPath: join(site, 'data'),
    cachePath: join(site, 'cache'),
    sources: [{ name: 'main', logPath: logPath() }],
    // Not set: the set-up asks.
    environment: { LogProcessing__StartAt: '' },
  })

beforeEach(() => {
  site = join(root, String(++sites))
  for (const name of ['logs', 'cache']) mkdirSync(join(site, name), { recursive: true })
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** A log with old lines, whose writer goes on. */
function oldLog(): LogWriter {
  const writer = new LogWriter(join(logPath(), 'access.log'), 40 + sites)
  for (let second = 0; second < 100; second++) writer.writeSome()
  writer.flush()
  return writer
}

/** The owner with an account, before the set-up is completed. */
async function owner(larder: Larder): Promise<Visitor> {
  const apiKey = installationKey(larder.dataPath)
  const body = { apiKey, ...labAccount }
  await new Visitor(larder.url).write('POST', '/api/account-setup/first-admin', body)
  return signedIn(larder)
}

async function signedIn(larder: Larder): Promise<Visitor> {
  const visitor = new Visitor(larder.url)
  await visitor.signIn(installationKey(larder.dataPath), labAccount)
  return visitor
}

const ingest = async (visitor: Visitor) =>
  (await visitor.read<{ ingest: IngestStatus }>('/api/ext/status')).ingest

const isState = (visitor: Visitor, state: IngestStatus['state']) =>
  eventually(async () => (await ingest(visitor)).state === state, `log reading is ${state}`)

const complete = (visitor: Visitor) =>
  visitor.write('PATCH', '/api/system/setup', { completed: true })

describe('a new installation beside an existing log', () => {
  test('reads nothing before the choice; from now counts no old line', async () => {
    const writer = oldLog()
    const larder = await start()
    const visitor = await owner(larder)
    await isState(visitor, 'awaiting_setup')
    expect(larder.committed('main')).toEqual({})
    const oldText = writer.text
    await visitor.write('PATCH', '/api/logs/position', { position: null })
    // Between the choice and its completion lines are logged: those count.
    for (let second = 0; second < 5; second++) writer.writeSome()
    writer.flush()
    expect(larder.committed('main')).toEqual({})
    await complete(visitor)
    for (let second = 0; second < 5; second++) writer.writeSome()
    writer.stop()
    const newText = writer.text.slice(oldText.length)
    expect(newText.length).toBeGreaterThan(0)
    await expectTotals(larder, 'main', referenceCount(newText, 'plain'))
    expect(await larder.stop()).toBe(0)
  })

  test('from the beginning counts every line', async () => {
    const writer = oldLog()
    const larder = await start()
    const visitor = await owner(larder)
    await visitor.write('PATCH', '/api/logs/position', { position: 0 })
    await complete(visitor)
    writer.stop()
    await expectTotals(larder, 'main', referenceCount(writer.text, 'plain'))
    expect(await larder.stop()).toBe(0)
  })

  test('killed after the choice, it is kept; killed after completing, reading begins', async () => {
    const writer = oldLog()
    const oldText = writer.text
    const first = await start()
    const visitor = await owner(first)
    await visitor.write('PATCH', '/api/logs/position', { position: null })
    await first.kill()
    for (let second = 0; second < 5; second++) writer.writeSome()
    writer.flush()
    const second = await start()
    const again = await signedIn(second)
    await isState(again, 'awaiting_setup')
    expect(second.committed('main')).toEqual({})
    await complete(again)
    await second.kill()
    for (let moment = 0; moment < 5; moment++) writer.writeSome()
    writer.stop()
    const third = await start()
    const newText = writer.text.slice(oldText.length)
    await expectTotals(third, 'main', referenceCount(newText, 'plain'))
    expect(await third.stop()).toBe(0)
  })
})

test('without a log folder the checklist names it, and finds it when it appears', async () => {
  const writer = oldLog()
  writer.stop()
  const away = join(site, 'away')
  renameSync(logPath(), away)
  const larder = await start()
  const visitor = await owner(larder)
  interface Check {
    part: string
    problem: string
    state: string
    path: string | null
    remedy: string | null
  }
  const check = async (part: string) => {
    const { checks } = await visitor.read<{ checks: Check[] }>('/api/ext/setup/checklist')
    return checks.find((one) => one.part === part)
  }
  const missing = await check('log')
  expect(missing).toMatchObject({ problem: 'missing', state: 'bad', path: logPath() })
  expect(missing?.remedy).toMatch(/volumes:|LanCache__LogPath/)
  renameSync(away, logPath())
  expect(await check('log')).toMatchObject({ problem: 'none', state: 'good', remedy: null })
  expect(await check('lines')).toMatchObject({ problem: 'none', state: 'good' })
  await complete(visitor)
  await expectTotals(larder, 'main', referenceCount(writer.text, 'plain'))
  expect(await larder.stop()).toBe(0)
})
