import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openHot } from '../../../../db/hot/open.ts'
import { logLine } from '../../../../test/support/log-lines.ts'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import { LogIngest } from '../ingest.ts'

const full = 2

test('flushes a batch to disk before returning it, once', async () => {
  const folder = tempFolder('flush')
  const logPath = join(folder, 'logs')
  mkdirSync(logPath)
  writeFileSync(join(logPath, 'access.log'), logLine())
  const database = openHot(folder)
  const source = { name: 'main', logPath, cachePath: '/c', schemeOverride: 'auto' as const }
  const ingest = new LogIngest(
    database,
    {
      datasources: [source],
      ingest: { startAt: 'beginning', pollMs: 50, outboxMaxMb: 512 },
    },
    { info() {}, warn() {} },
  )
  await ingest.pass()
  const synchronous = () =>
    (database.query('PRAGMA synchronous').get() as { synchronous: number }).synchronous
  const modes: number[] = []
  const run = database.run.bind(database)
  database.run = (...sql) => {
    const result = run(...sql)
    modes.push(synchronous())
    return result
  }
  const durable = () => database.query('SELECT is_durable AS flag FROM sealed_batch').get()
  const batch = ingest.outbox.next()
  expect(batch?.traffic).toHaveLength(1)
  expect(modes).toContain(full)
  expect(durable()).toEqual({ flag: 1 })
  // All other commits stay cheap, and a second attempt needs no second flush.
  expect(synchronous()).toBe(1)
  modes.length = 0
  expect(ingest.outbox.next()?.batchId).toBe(batch?.batchId ?? '')
  expect(modes).toEqual([])
  ingest.close()
  database.close()
})
