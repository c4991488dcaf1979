import { beforeAll, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { filesOf } from '../../db/damage.ts'
import { installationKey, Visitor } from '../../src/demo/visitor.ts'
import { expectTotals } from './expect-totals.ts'
import { labAccount, Larder } from './larder.ts'
import { LogWriter } from './log-writer.ts'
import { referenceCount, type CountTable } from './reference-count.ts'
import { eventually } from '../support/eventually.ts'
import { tempFolder } from '../support/temp-folder.ts'

const root = tempFolder('lost')
const logPath = join(root, 'logs')
const dataPath = join(root, 'data')
const options = { dataPath, cachePath: join(root, 'cache'), sources: [{ name: 'main', logPath }] }
const timeoutMs = 120_000

interface Status {
  isHealthy: boolean
  ingest: {
    state: string
    message: string | null
    mismatch: { reason: string; choices: string[] } | null
  }
  cacheIndex: { damagedCopy: string | null }
}

let expected: CountTable
beforeAll(async () => {
  mkdirSync(logPath)
  mkdirSync(options.cachePath)
  const writer = new LogWriter(join(logPath, 'access.log'), 3)
  while (writer.lineCount < 20_000) writer.writeSome()
  writer.stop()
  expected = referenceCount(readFileSync(join(logPath, 'access.log'), 'utf8'), 'plain')
  const larder = await Larder.start(options)
  await larder.firstSignIn()
  await expectTotals(larder, 'main', expected, timeoutMs)
  expect(await larder.stop()).toBe(0)
}, timeoutMs)

async function signedIn(larder: Larder): Promise<Visitor> {
  const visitor = new Visitor(larder.url)
  await visitor.signIn(installationKey(dataPath), labAccount)
  return visitor
}

test(
  'a lost hot.sqlite: takes the positions from the history, counts nothing twice',
  async () => {
    for (const file of filesOf(join(dataPath, 'hot.sqlite'))) rmSync(file, { force: true })
    const larder = await Larder.start(options)
    await eventually(
      () => larder.output.includes('the positions were taken from the history'),
      'the positions are taken',
      timeoutMs,
    )
    await expectTotals(larder, 'main', expected, timeoutMs)
    expect(await larder.stop()).toBe(0)
  },
  timeoutMs,
)

test(
  'a lost history: reports it and reads nothing until the owner chooses',
  async () => {
    rmSync(join(dataPath, 'postgres'), { recursive: true })
    const larder = await Larder.start(options)
    const visitor = await signedIn(larder)
    const status = () => visitor.read<Status>('/api/ext/status')
    await eventually(
      async () => (await status()).ingest.mismatch !== null,
      'the mismatch is reported',
      timeoutMs,
    )
    const { isHealthy, ingest } = await status()
    expect(isHealthy).toBe(false)
    expect(ingest).toMatchObject({
      state: 'mismatch',
      mismatch: { reason: 'historyEmpty', choices: ['goOn', 'rebuild'] },
    })
    expect(ingest.message).toContain('The history is empty')
    expect(larder.output).toContain('positions and history do not match')
    const choose = (choice: string) => visitor.request('POST', '/api/ext/history-link', { choice })
    expect((await choose('takePositions')).status).toBe(409)
    expect((await choose('anything')).status).toBe(400)
    expect((await fetch(`${larder.url}/api/ext/history-link`, { method: 'POST' })).status).toBe(401)
    expect(await larder.shipped('main')).toEqual({})
    const answer = await choose('rebuild')
    expect([answer.status, await answer.json()]).toEqual([200, { choice: 'rebuild' }])
    await expectTotals(larder, 'main', expected, timeoutMs)
    expect((await status()).ingest.mismatch).toBeNull()
    expect((await choose('rebuild')).status).toBe(409)
    expect(await larder.stop()).toBe(0)
  },
  timeoutMs,
)

test(
  'a damaged cache index: rebuilds and reports it',
  async () => {
    const path = join(dataPath, 'cache.sqlite')
    expect(existsSync(path)).toBe(true)
    for (const file of filesOf(path)) rmSync(file, { force: true })
    writeFileSync(path, 'not a database any more\n'.repeat(1000))
    const larder = await Larder.start(options)
    const visitor = await signedIn(larder)
    const status = () => visitor.read<Status>('/api/ext/status')
    await eventually(
      async () => (await status()).cacheIndex.damagedCopy === `${path}.damaged`,
      'the mismatch is reported',
      timeoutMs,
    )
    expect(readFileSync(`${path}.damaged`, 'utf8')).toContain('not a database any more')
    expect(larder.output).toContain('the cache index was damaged')
    expect(await larder.stop()).toBe(0)
  },
  timeoutMs,
)
