import { expect, test } from 'bun:test'
import { eventually } from '../../test/support/eventually.ts'
import { freshHistory, openTestClient } from '../../test/support/postgres.ts'

test('lists occupy few connections, and no other read waits for them', async () => {
  const history = await freshHistory()
  const holder = openTestClient(history.connection())
  await holder`select pg_advisory_lock(1)`
  const lists = Array.from({ length: 12 }, () =>
    history.read(
      (_db, sql) => sql`select pg_advisory_lock_shared(1), pg_advisory_unlock_shared(1)`,
      'lists',
    ),
  )
  const waiting = async () => {
    const [row] = await holder<{ count: number }[]>`
      select count(*)::int as count from pg_stat_activity
      where datname = current_database() and wait_event = 'advisory'`
    return row?.count ?? 0
  }
  await eventually(async () => (await waiting()) > 0, 'a list is being read')
  expect(await history.read((_db, sql) => sql`select 1 as one`)).toHaveLength(1)
  expect(await waiting()).toBeLessThanOrEqual(2)
  await holder`select pg_advisory_unlock(1)`
  await Promise.all(lists)
})
