import { expect, test } from 'bun:test'
import { dirname, join } from 'node:path'
import { olderInstallation } from '../../../test/support/older-installation.ts'
import { freshDatabase, openTestClient } from '../../../test/support/postgres.ts'
import { quietLog } from '../../../test/support/quiet-log.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { readConfig } from '../../core/config.ts'
import { makeSnapshot } from '../../engines/backup/make.ts'
import { stageSnapshot } from '../../engines/backup/stage.ts'
import { ensurePartitions } from '../../engines/shipper/partitions.ts'
import { applyRestore } from './apply.ts'
import { environmentOf } from '../../../test/support/postgres.ts'

const passive = { progress() {}, isCancelled: () => false }
const thisMonth = new Date()
const months = Array.from(
  { length: 1200 },
  (_, back) => Date.UTC(thisMonth.getUTCFullYear(), thisMonth.getUTCMonth() - back, 1) / 1000,
).toReversed()

test('a history of a hundred years is kept, restored and emptied within the usual locks', async () => {
  const { dataPath, target: history, sql } = await olderInstallation()
  await sql.begin((transaction) => ensurePartitions(transaction, months))
  await sql`
    insert into traffic (bucket_at, datasource, service, client, title_key, is_prefill, hit_bytes,
      miss_bytes, requests, downloads, first_at, last_at)
    select to_timestamp(at), 'default', 'steam', '10.0.0.8', '', false, 1, 0, 1, 1,
      to_timestamp(at), to_timestamp(at)
    from unnest(${months}::float8[]) as at`
  const [locks] = await sql<{ slots: number }[]>`
    select (current_setting('max_locks_per_transaction')::int
      * current_setting('max_connections')::int) as slots`
  await sql.end()
  expect(locks?.slots).toBe(6400)
  const file = join(dirname(dataPath), 'years.tar.zst')
  await makeSnapshot({ dataPath, file, version: '0.0.1', history }, passive)

  const target = await freshDatabase()
  const config = readConfig({
    DATA_PATH: join(tempFolder('many-months'), 'data'),
    ...environmentOf(target),
  })
  for (const round of [1, 2]) {
    await stageSnapshot({ file, dataPath: config.dataPath }, passive)
    expect([round, await applyRestore(config, quietLog)]).toMatchObject([round, { problem: null }])
  }
  const restored = openTestClient(target)
  const sums = () => restored`select count(*)::int as rows from traffic`
  const parts = () =>
    restored`select count(*)::int as parts from pg_inherits where inhparent = 'traffic'::regclass`
  // What is older than the oldest row that may be restored is left out.
  const [before] = await sums()
  expect(before?.['rows']).toBeGreaterThan(300)
  // Three relations each have to fit into the locks of the private Postgres, a fifth of these.
  expect((await parts())[0]?.['parts']).toBeLessThan(140)
  await restored`truncate traffic`
  expect((await sums())[0]).toEqual({ rows: 0 })
})
