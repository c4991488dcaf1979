import { afterEach, expect, test } from 'bun:test'
import { firstSecond } from '../../../../test/support/log-lines.ts'
import { LinkSite } from '../../../../test/support/link-site.ts'
import { freshDatabase } from '../../../../test/support/postgres.ts'
import { eventually } from '../../../../test/lab/wait.ts'

const timeoutMs = 60_000
const lines = 3000
let site: LinkSite
afterEach(() => site.remove())

const untilShipped = (count: number) =>
  eventually(
    async () => (await site.totals()).downloads?.requests === count,
    'everything is shipped',
    timeoutMs,
  )

/** A row whose month no partition can hold. */
function addRefusedRow(): void {
  site.running.database
    .query(
      `INSERT INTO traffic_outbox (batch_id, bucket_at, datasource, service, client, title_key,
        is_prefill, hit_bytes, miss_bytes, requests, downloads, first_at, last_at, queued_at_ms)
      VALUES ('', ?, 'main', 'steam', 'refused', 'alpha:1', 0, 1, 1, 1, 0, ?, ?, 1)`,
    )
    .run(Date.UTC(9999, 11, 31) / 1000, firstSecond, firstSecond)
}

test('a batch sent in parts, without its refused row, keeps both stores in step', async () => {
  site = new LinkSite(await freshDatabase())
  site.write(lines)
  site.start()
  addRefusedRow()
  const { quarantine } = site.running.loop.ingest.outbox
  await eventually(() => quarantine.count === 1, 'the row is set aside', timeoutMs)
  await untilShipped(lines)
  await site.stop()

  // Only the history knows the positions now: they must be those of the last part.
  site.replaceHot(null)
  site.write(10)
  site.start()
  await untilShipped(lines + 10)
  const { expected } = site
  expect(await site.totals()).toEqual({ traffic: expected, day: expected, downloads: expected })
  expect(site.running.keeper.mismatch).toBeNull()
}, 120_000)
