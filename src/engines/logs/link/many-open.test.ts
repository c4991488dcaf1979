import { afterEach, expect, test } from 'bun:test'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../../../../test/support/eventually.ts'
import { HistoryLinkFixture } from '../../../../test/support/history-link-fixture.ts'
import { firstSecond, logLine } from '../../../../test/support/log-lines.ts'
import { freshDatabase, openTestClient } from '../../../../test/support/postgres.ts'
import { maxChanges } from './hot-link.ts'

const timeoutMs = 60_000
/** More than a batch has positions of. */
const opened = maxChanges + 500
let fixture: HistoryLinkFixture
afterEach(() => fixture.stop())

/** Depots from `first` on; each is a download of its own. */
function write(first: number, count: number, at = firstSecond): void {
  const lines = Array.from({ length: count }, (_, index) =>
    logLine({ at, path: `/depot/${first + index}/chunk/aa` }),
  )
  appendFileSync(join(fixture.folder, 'logs/access.log'), lines.join(''))
}

/** Open downloads that the history knows, once it knows all positions. */
async function openInHistory(): Promise<number | null> {
  const sql = openTestClient(fixture.target)
  const [row] = await sql<{ isComplete: boolean; count: number }[]>`
    select is_complete as "isComplete", (select count(*)::int from ingest_position
      where kind = 'open') as count from ingest_link`
  await sql.end()
  return row?.isComplete === true ? row.count : null
}

const untilOpen = (count: number) =>
  eventually(async () => (await openInHistory()) === count, `${count} are open there`, timeoutMs)

test('many open downloads reach the history in parts, and are taken from it', async () => {
  fixture = new HistoryLinkFixture(await freshDatabase())
  write(1, opened)
  fixture.start()
  await untilOpen(opened)
  await fixture.stop()

  fixture.replaceHot(null)
  fixture.start()
  const kept = () =>
    fixture.running.database.query('SELECT count(*) AS count FROM open_download').get()
  await eventually(() => Bun.deepEquals(kept(), { count: opened }), 'they are taken', timeoutMs)
  // A day later all of them have ended, and so has the one that began in between.
  write(20_000, 1, firstSecond + 60)
  write(20_001, 1, firstSecond + 86_400)
  await untilOpen(1)
  expect(fixture.running.keeper.mismatch).toBeNull()
  expect(await fixture.downloadCount()).toBe(opened + 2)
})
