import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { database, file, ingest, withIngest } from '../../../../test/support/ingest-fixture.ts'
import { logLine } from '../../../../test/support/log-lines.ts'

const full = 2

withIngest()

test('flushes a batch to disk before returning it, once', async () => {
  writeFileSync(file('access.log'), logLine())
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
})
