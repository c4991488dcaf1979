import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { Database } from 'bun:sqlite'
import { appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { openHot } from '../../../db/hot/open.ts'
import { firstSecond, logLine } from '../../../test/support/log-lines.ts'
import { EngineLoop } from './engine-loop.ts'

let folder = ''
let logs = ''
let database: Database
let loop: EngineLoop

const quiet = { info: () => {}, warn: () => {} }
const events = { speeds: () => {}, committed: () => {}, reopenWanted: () => {} }

interface Start {
  isSetUp?: boolean
  startAt?: 'beginning' | 'end' | null
}

function begin({ isSetUp = false, startAt = null }: Start = {}): void {
  database = openHot(folder)
  const source = { name: 'main', logPath: logs, cachePath: '/c', schemeOverride: 'auto' as const }
  const ingest = { startAt, pollMs: 50, outboxMaxMb: 512 }
  const config = { datasources: [source], ingest, isSetUp }
  loop = new EngineLoop(database, { config, log: quiet, events })
  loop.start()
}

async function restart(start: Start = {}): Promise<void> {
  await loop.stop()
  database.close()
  begin(start)
}

/** Every line has a bit of its own: the sum shows which lines were counted, and how often. */
const one = (bit: number) => logLine({ at: firstSecond + bit, bytes: 2 ** bit })
const counted = () =>
  (database.query('SELECT sum(hit_bytes) AS hit FROM counter').get() as { hit: number | null }).hit
const file = (name: string) => join(logs, name)

/** A batch from its beginning to its end; without `process`, which would begin reading. */
async function batches(): Promise<void> {
  for (let round = 0; round < 2; round++) {
    await loop.between(() => {
      for (const source of loop.ingest.sources) source.nextDiscoveryMs = 0
    })
    await loop.between(() => {})
  }
}

async function caughtUp(): Promise<void> {
  await batches()
  while (loop.ingest.state !== 'following') await Bun.sleep(1)
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'larder-first-start-'))
  logs = join(folder, 'logs')
  mkdirSync(logs)
  writeFileSync(file('access.log.1.gz'), gzipSync(Buffer.from(one(0))))
  writeFileSync(file('access.log'), one(1) + one(2))
})

afterEach(async () => {
  await loop.stop()
  database.close()
  rmSync(folder, { recursive: true })
})

test('a new installation reads nothing and registers no file before the set-up', async () => {
  begin()
  await batches()
  expect(loop.ingest.state).toBe('awaiting_setup')
  expect(await loop.positions()).toMatchObject([{ position: 0, problem: 'none', sourceCount: 0 }])
  await restart()
  await batches()
  expect([loop.ingest.state, counted()]).toEqual(['awaiting_setup', null])
})

test('completed without a choice: reads from the beginning', async () => {
  begin()
  await batches()
  await loop.beginReading()
  await caughtUp()
  expect(counted()).toBe(7)
})

test('from now: the end of each log when it was chosen, even if the set-up ends later', async () => {
  begin()
  expect(await loop.setPosition(null, 'end')).toBe(2)
  appendFileSync(file('access.log'), one(3))
  renameSync(file('access.log'), file('access.log.1'))
  await batches()
  writeFileSync(file('access.log'), one(4))
  await restart()
  await batches()
  expect([loop.ingest.state, counted()]).toEqual(['awaiting_setup', null])
  await restart({ isSetUp: true })
  await caughtUp()
  expect(counted()).toBe(2 ** 3 + 2 ** 4)
})

test('the last of several choices counts', async () => {
  begin()
  await loop.setPosition(null, 'end')
  await loop.setPosition('main', 'beginning')
  await loop.beginReading()
  await caughtUp()
  expect(counted()).toBe(7)
})

test('beginning, then from now', async () => {
  begin()
  await loop.setPosition(null, 'beginning')
  await loop.setPosition(null, 'end')
  await loop.beginReading()
  await caughtUp()
  appendFileSync(file('access.log'), one(5))
  await caughtUp()
  expect(counted()).toBe(2 ** 5)
})

test('from now without a log folder: skips what the folder holds when it appears', async () => {
  const away = join(folder, 'away')
  renameSync(logs, away)
  begin()
  await loop.setPosition(null, 'end')
  await restart({ isSetUp: true })
  await batches()
  renameSync(away, logs)
  await caughtUp()
  appendFileSync(file('access.log'), one(6))
  await caughtUp()
  expect(counted()).toBe(2 ** 6)
})

test('a process run is a decision to read', async () => {
  begin()
  await loop.process(null, { progress: () => {}, isCancelled: () => false })
  expect(counted()).toBe(7)
  await restart()
  appendFileSync(file('access.log'), one(3))
  await caughtUp()
  expect(counted()).toBe(15)
})

test.each([{ startAt: 'beginning' as const }, { isSetUp: true }])(
  'reads at once: %p',
  async (start) => {
    begin(start)
    await caughtUp()
    expect(counted()).toBe(7)
  },
)

test('an installation that has read goes on after the upgrade, without a set-up', async () => {
  begin({ startAt: 'beginning' })
  await caughtUp()
  await restart()
  appendFileSync(file('access.log'), one(3))
  await caughtUp()
  expect(counted()).toBe(15)
})

test('log files are not changed before reading begins', async () => {
  begin()
  const context = { progress: () => {}, isCancelled: () => false }
  const removal = { datasource: 'main', filter: { kind: 'service', service: 'steam' } } as const
  expect(loop.removeLines(removal, context)).rejects.toThrow('set-up')
  expect(loop.deleteLogs('main')).rejects.toThrow('set-up')
  await batches()
})
