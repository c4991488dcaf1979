import { expect, test } from 'bun:test'
import { freshDatabase, openTestClient } from './postgres.ts'
import { seedHistory } from './seed-history.ts'

test('a seeded year is consistent and always the same', async () => {
  const target = await freshDatabase()
  await seedHistory(target, { downloads: 6000 })
  const sql = openTestClient(target)
  const sumsOf = async (table: string, count: string) => {
    const [row] = await sql.unsafe<{ hit: string; count: string }[]>(
      `select sum(hit_bytes)::text as hit, ${count}::text as count from ${table}`,
    )
    return { hit: row?.hit, count: row?.count }
  }
  const expected = await sumsOf('downloads', 'count(*)')
  expect(expected.count).toBe('6000')
  for (const table of ['traffic', 'traffic_hour', 'traffic_day']) {
    expect(await sumsOf(table, 'sum(downloads)')).toEqual(expected)
  }
  const [kinds] = await sql<{ services: number; clients: number; titles: number }[]>`
    select count(distinct service)::int as services, count(distinct client)::int as clients,
      (select count(*)::int from titles) as titles from downloads`
  expect(kinds?.services).toBe(6)
  expect(kinds?.clients).toBe(20)
  expect(kinds?.titles).toBeGreaterThan(100)
  await sql.end()
  const again = await freshDatabase()
  await seedHistory(again, { downloads: 6000 })
  const second = openTestClient(again)
  const [row] = await second`select sum(hit_bytes)::text as hit from downloads`
  expect(row?.hit).toBe(expected.hit)
})
