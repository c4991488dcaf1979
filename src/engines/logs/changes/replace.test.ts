import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { Database } from 'bun:sqlite'
import {
  appendFileSync,
  mkdirSync,
  openSync,
  renameSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { openHot } from '../../../../db/hot/open.ts'
import { firstSecond, logLine } from '../../../../test/support/log-lines.ts'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import { LogIngest } from '../ingest.ts'
import { replaceMember } from './replace.ts'

let folder = ''
let log = ''
let fresh = ''
let database: Database
let ingest: LogIngest

function begin(): void {
  database = openHot(folder)
  const logPath = join(folder, 'logs')
  const source = { name: 'main', logPath, cachePath: '/c', schemeOverride: 'auto' as const }
  const limits = { startAt: 'beginning' as const, pollMs: 50, outboxMaxMb: 512 }
  const quiet = { info: () => {}, warn: () => {} }
  ingest = new LogIngest(database, { datasources: [source], ingest: limits }, quiet)
}

async function drain(): Promise<void> {
  for (let round = 0; round < 2; round++) {
    for (const source of ingest.sources) source.nextDiscoveryMs = 0
    while (await ingest.pass());
  }
}

const one = (bit: number, tag = 'steam') => logLine({ at: firstSecond + bit, bytes: 2 ** bit, tag })
const hit = () =>
  (database.query('SELECT sum(hit_bytes) AS hit FROM counter').get() as { hit: number }).hit
const source = () => {
  const [first] = ingest.sources
  if (first === undefined) throw new Error('no source')
  return first
}

beforeEach(() => {
  folder = tempFolder('replace')
  mkdirSync(join(folder, 'logs'))
  log = join(folder, 'logs', 'access.log')
  fresh = join(folder, 'logs', 'access.log.new')
  begin()
})

afterEach(() => {
  ingest.close()
  database.close()
})

test('a rewritten file keeps its position, and its old version is read to the end', async () => {
  const removed = one(0, 'riot')
  writeFileSync(log, removed + one(1) + one(2))
  const writer = openSync(log, 'a')
  await drain()
  appendFileSync(log, one(3))
  writeFileSync(fresh, one(1) + one(2))
  const moved = (offset: number) => Math.max(0, offset - removed.length)
  const head = new TextEncoder().encode(one(1) + one(2))
  const end = (removed + one(1) + one(2)).length
  const removedLines = (offset: number) => (offset > 0 ? 1 : 0)
  const by = { name: 'access.log', path: fresh, head, moved, removedLines, end }
  expect(replaceMember(ingest, source(), by)).toBe(true)
  writeSync(writer, one(4))
  appendFileSync(log, one(5))
  await drain()
  ingest.close()
  database.close()
  begin()
  appendFileSync(log, one(6))
  await drain()
  expect(hit()).toBe(2 ** 7 - 1)
})

test.each([
  ['before the file was renamed', false],
  ['after it', true],
])('a crash %s loses nothing and counts nothing twice', async (_when, isRenamed) => {
  const removed = one(0, 'riot')
  writeFileSync(log, removed + one(1) + one(2))
  await drain()
  const [member] = ingest.tracker.members
  if (member === undefined) throw new Error('no member')
  writeFileSync(fresh, one(1) + one(2))
  const { dev, ino } = statSync(fresh)
  const intent = {
    memberId: member.id,
    path: log,
    device: String(dev),
    inode: String(ino),
    head: Buffer.from(one(1)).toString('base64'),
    offset: member.offset - removed.length,
    lines: 2,
    sizeBytes: 0,
    modifiedMs: 0,
    ranges: [],
    isCurrent: true,
  }
  ingest.store.setMeta('replacing', JSON.stringify(intent))
  if (isRenamed) renameSync(fresh, log)
  ingest.close()
  database.close()
  begin()
  appendFileSync(log, one(3))
  await drain()
  expect(hit()).toBe(2 ** 4 - 1)
})

test('leaves a file without a position unchanged', () => {
  writeFileSync(fresh, one(1))
  const moves = { moved: Number, removedLines: () => 0, end: 0 }
  const by = { name: 'access.log.7', path: fresh, head: new Uint8Array(0), ...moves }
  expect(replaceMember(ingest, source(), by)).toBe(false)
  expect(statSync(fresh).size).toBe(one(1).length)
})
