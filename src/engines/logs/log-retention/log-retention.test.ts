import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Database } from 'bun:sqlite'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { gzipSync, zstdDecompressSync } from 'node:zlib'
import { openHot } from '../../../../db/hot/open.ts'
import { firstSecond, logLine } from '../../../../test/support/log-lines.ts'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import { downloadsSettings } from '../../../downloads/settings.ts'
import type { LogRetentionPolicy } from './wire.ts'
import { planOf } from './log-retention-plan.ts'
import { EngineLoop } from '../engine-loop.ts'

let folder = ''
let logs = ''
let database: Database
let loop: EngineLoop
let reopenMarks: string[] = []

const pathOf = (name: string) => join(logs, name)
const context = { progress: () => {}, isCancelled: () => false }
const one = (bit: number) => logLine({ at: firstSecond + bit, bytes: 2 ** bit, path: `/a/${bit}` })
const counted = () =>
  (database.query('SELECT sum(hit_bytes) AS hit FROM counter').get() as { hit: number }).hit
const dayMs = 86_400_000
const noPolicy = downloadsSettings['logs.retention'].fallback

function begin(startAt: 'beginning' | 'end' = 'beginning'): void {
  database = openHot(folder)
  const source = { name: 'main', logPath: logs, cachePath: '/c', schemeOverride: 'auto' as const }
  const ingest = { startAt, pollMs: 50, outboxMaxMb: 512 }
  const quiet = { info: () => {}, warn: () => {} }
  const events = {
    speeds: () => {},
    committed: () => {},
    reopenWanted: (mark: string) => void reopenMarks.push(mark),
  }
  loop = new EngineLoop(database, { config: { datasources: [source], ingest }, log: quiet, events })
  loop.start()
}

/** Everything is counted and, as by the shipper, acknowledged. */
async function settled(): Promise<void> {
  await loop.process(null, context)
  await loop.process(null, context)
  const { outbox } = loop.ingest
  await loop.between(() => {
    for (let batch = outbox.next(); batch !== null; batch = outbox.next()) outbox.acknowledge(batch)
  })
}

/** Files that were rotated a while ago. */
function put(name: string, content: string | Uint8Array, daysAgo: number): void {
  writeFileSync(pathOf(name), content)
  const seconds = (Date.now() - daysAgo * dayMs) / 1000
  utimesSync(pathOf(name), seconds, seconds)
}

const keep = (policy: Partial<LogRetentionPolicy>, canRotate = true) =>
  loop.applyLogRetention({ policy: { ...noPolicy, ...policy }, canRotate }, context)
const filesNow = async (policy: Partial<LogRetentionPolicy> = {}) => {
  const input = { policy: { ...noPolicy, ...policy }, canRotate: true }
  return (await loop.logRetentionStatus(input))[0]?.files ?? []
}

beforeEach(() => {
  folder = tempFolder('log-retention')
  logs = join(folder, 'logs')
  mkdirSync(logs)
  reopenMarks = []
})

afterEach(async () => {
  await loop.stop()
  database.close()
})

describe('old files', () => {
  beforeEach(async () => {
    put('access.log.3.gz', gzipSync(one(0)), 40)
    put('access.log.2', one(1), 20)
    put('access.log.1', one(2), 2)
    writeFileSync(pathOf('access.log'), one(3))
    begin()
    await settled()
  })

  test('are compressed, and keep their positions', async () => {
    const before = statSync(pathOf('access.log.2')).mtimeMs
    expect(await keep({ compresses: true })).toMatchObject({ filesCompressed: 2, refused: [] })
    expect(readdirSync(logs).sort()).toEqual([
      'access.log',
      'access.log.1.zst',
      'access.log.2.zst',
      'access.log.3.gz',
    ])
    const copy = pathOf('access.log.2.zst')
    expect(zstdDecompressSync(readFileSync(copy)).toString()).toBe(one(1))
    expect(Math.abs(statSync(copy).mtimeMs - before)).toBeLessThan(1000)
    await loop.stop()
    database.close()
    begin()
    await settled()
    expect(counted()).toBe(15)
  })

  test('are deleted by age, as a dry run predicts', async () => {
    const files = await filesNow({ keepDays: 10 })
    expect(files.map(({ name, action, isSafeToDelete }) => [name, action, isSafeToDelete])).toEqual(
      [
        ['access.log.3.gz', 'delete', true],
        ['access.log.2', 'delete', true],
        ['access.log.1', 'none', true],
        ['access.log', 'none', false],
      ],
    )
    expect(files.find(({ name }) => name === 'access.log')?.countedBytes).toBe(one(3).length)
    expect(await keep({ keepDays: 10 })).toMatchObject({ filesDeleted: 2 })
    expect(readdirSync(logs).sort()).toEqual(['access.log', 'access.log.1'])
    expect(counted()).toBe(15)
  })

  test('are not deleted before their figures have reached the history', async () => {
    appendFileSync(pathOf('access.log'), one(4))
    await loop.process(null, context)
    // As if the history had been unavailable for two minutes.
    const age = 'UPDATE traffic_outbox SET queued_at_ms = queued_at_ms - 120000'
    database.run(age)
    const files = await filesNow({ keepDays: 10 })
    expect(files.map(({ action }) => action)).toEqual(['none', 'none', 'none', 'none'])
    expect(files[0]?.reason).toContain('history')
  })
})

test('rotates the current file only when the proxy can be signalled', async () => {
  put('access.log.1', one(0), 1)
  put('access.log.2.gz', gzipSync(one(1)), 3)
  put('access.log.9', one(2), 9)
  writeFileSync(pathOf('access.log'), one(3).repeat(9000))
  begin()
  await settled()
  const before = counted()
  expect(await keep({ rotateAboveMib: 1 }, false)).toMatchObject({ filesRotated: 0 })
  expect(reopenMarks).toEqual([])
  expect(await keep({ rotateAboveMib: 1 })).toMatchObject({ filesRotated: 1 })
  expect(readdirSync(logs).sort()).toEqual([
    'access.log.1',
    'access.log.2',
    'access.log.3.gz',
    'access.log.9',
  ])
  expect(readFileSync(pathOf('access.log.2'), 'utf8')).toBe(one(0))
  await settled()
  expect(reopenMarks).toHaveLength(1)
  writeFileSync(pathOf('access.log'), one(20))
  await settled()
  expect(counted()).toBe(before + 2 ** 20)
})

test('leaves skipped, unknown and damaged files alone', async () => {
  put('access.log.4', one(0), 50)
  begin('end')
  await settled()
  put('access.log.3', 'no line of a form we know\n'.repeat(100), 40)
  const packed = gzipSync(one(1).repeat(2000), { level: 0 })
  put('access.log.2.gz', packed.subarray(0, packed.length / 2), 30)
  put('fallback-access.log.1', one(2), 30)
  writeFileSync(pathOf('access.log'), one(3))
  await settled()
  const names = readdirSync(logs)
  const outcome = await keep({ keepDays: 1, keepGib: 0.000_000_1, compresses: true })
  expect(outcome).toMatchObject({ filesDeleted: 0, filesCompressed: 0 })
  expect(readdirSync(logs)).toEqual(names)
  const reasons = (await filesNow()).map(({ name, reason }) => [name, reason])
  expect(Object.fromEntries(reasons)).toEqual({
    'access.log.4': 'has ranges that were skipped and never counted',
    'access.log.3': 'begins with a line in an unknown format',
    'access.log.2.gz': 'cannot be read to its end',
    'fallback-access.log.1': 'begins with a line in an unknown format',
    'access.log': null,
  })
})

test('reuses a compressed copy left by a crash, unless its content differs', async () => {
  put('access.log.2', one(0), 5)
  put('access.log.2.zst', Bun.zstdCompressSync(one(0)), 5)
  put('access.log.1', one(1), 5)
  put('access.log.1.zst', Bun.zstdCompressSync(one(2)), 5)
  writeFileSync(pathOf('access.log'), one(3))
  begin()
  await settled()
  const { filesCompressed, refused } = await keep({ compresses: true })
  expect(filesCompressed).toBe(1)
  expect(refused).toEqual([
    {
      datasource: 'main',
      file: 'access.log.1',
      reason: 'another file has the name of its compressed copy',
    },
  ])
  expect(existsSync(pathOf('access.log.2'))).toBe(false)
  await settled()
  expect(counted()).toBe(15)
})

test('deletes the oldest files first when there are too many bytes', () => {
  const gibibyte = 1024 ** 3
  const file = (name: string, isCurrent = false) => ({
    name,
    bytes: gibibyte,
    modifiedMs: 0,
    bornMs: 0,
    isCurrent,
    isCompressed: true,
    isCounted: name !== 'b',
  })
  const files = [file('a'), file('b'), file('c'), file('d'), file('e', true)]
  const at = { nowMs: 0, canRotate: false, isShipped: true }
  const actions = planOf({ ...noPolicy, keepGib: 3 }, files, at)
  expect(actions).toEqual(['delete', 'none', 'delete', 'none', 'none'])
  begin()
})
