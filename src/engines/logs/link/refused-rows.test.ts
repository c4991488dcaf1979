import { afterEach, expect, test } from 'bun:test'
import { firstSecond } from '../../../../test/support/log-lines.ts'
import { HistoryLinkFixture } from '../../../../test/support/history-link-fixture.ts'
import { freshDatabase } from '../../../../test/support/postgres.ts'
import { eventually } from '../../../../test/support/eventually.ts'

const timeoutMs = 60_000
const lines = 3000
let fixture: HistoryLinkFixture
afterEach(() => fixture.stop())

const untilShipped = (count: number) =>
  eventually(
    async () => (await fixture.totals()).downloads?.requests === count,
    'everything is shipped',
    timeoutMs,
  )

/** A row whose month no partition can hold. */
function addRefusedRow(): void {
  fixture.running.database
    .query(
      `INSERT INTO traffic_outbox (batch_id, bucket_at, datasource, service, client, title_key,
        is_prefill, hit_bytes, miss_bytes, requests, downloads, first_at, last_at, queued_at_ms)
      VALUES ('', ?, 'main', 'steam', 'refused', 'alpha:1', 0, 1, 1, 1, 0, ?, ?, 1)`,
    )
    .run(Date.UTC(9999, 11, 31) / 1000, firstSecond, firstSecond)
}

test('a batch sent in parts, without its refused row, keeps both stores in step', async () => {
  fixture = new HistoryLinkFixture(await freshDatabase())
  fixture.write(lines)
  fixture.start()
  addRefusedRow()
  const { quarantine } = fixture.running.loop.ingest.outbox
  await eventually(() => quarantine.count === 1, 'the row is set aside', timeoutMs)
  await untilShipped(lines)
  await fixture.stop()

  // Only the history knows the positions now: they must be those of the last part.
  fixture.replaceHot(null)
  fixture.write(10)
  fixture.start()
  await untilShipped(lines + 10)
  const { expected } = fixture
  expect(await fixture.totals()).toEqual({ traffic: expected, day: expected, downloads: expected })
  expect(fixture.running.keeper.mismatch).toBeNull()
})
