import { expect, test } from 'bun:test'
import { freshDatabase, openTestClient } from '../../../test/support/postgres.ts'
import { activeSince, endsNow } from './active.ts'

test('a current end means active; one from before the clock was set back does not', async () => {
  const now = new Date('2026-03-01T12:00:00Z')
  const sql = openTestClient(await freshDatabase())
  const isActive = async (seconds: number) => {
    const endedAt = sql`to_timestamp(${now.getTime() / 1000 + seconds})`
    const [row] = await sql<{ found: boolean }[]>`
      select ${endsNow(sql, endedAt, activeSince(now).getTime() / 1000)} as found`
    return row?.found
  }
  const found = await Promise.all([-3600, -16, -14, 0, 30, 3600].map(isActive))
  expect(found).toEqual([false, false, true, true, true, false])
})
