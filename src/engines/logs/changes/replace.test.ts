import { beforeEach, expect, test } from 'bun:test'
import { appendFileSync, openSync, renameSync, statSync, writeFileSync, writeSync } from 'node:fs'
import {
  database,
  drain,
  file,
  ingest,
  restart,
  withIngest,
} from '../../../../test/support/ingest-fixture.ts'
import { firstSecond, logLine } from '../../../../test/support/log-lines.ts'
import { replaceMember } from './replace.ts'

let log = ''
let fresh = ''

withIngest()
beforeEach(() => {
  log = file('access.log')
  fresh = file('access.log.new')
})

const one = (bit: number, tag = 'steam') => logLine({ at: firstSecond + bit, bytes: 2 ** bit, tag })
const hit = () =>
  (database.query('SELECT sum(hit_bytes) AS hit FROM counter').get() as { hit: number }).hit
const source = () => {
  const [first] = ingest.sources
  if (first === undefined) throw new Error('no source')
  return first
}

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
  restart()
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
  restart()
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
