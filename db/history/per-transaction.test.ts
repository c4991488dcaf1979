import { afterAll, expect, test } from 'bun:test'
import { drizzle } from 'drizzle-orm/postgres-js'
import { freshDatabase } from '../../test/support/postgres.ts'
import { openClient } from './connect.ts'
import { failureCode } from './failures.ts'
import { titles } from './schema.ts'

// Directly at a server: a pooler is before Debian's server in test/lab/external-ways.test.ts.
const target = { ...(await freshDatabase()), schema: 'public', isPooled: true }
const options = { name: 'test', connections: 2, statementTimeoutMs: 1999, isReader: true }
const sql = openClient(target, options)
afterAll(() => sql.end())

const codeOf = (work: Promise<unknown>) => work.then(() => null, failureCode)

test('each transaction has its settings, whatever the connection was left with', async () => {
  const settings = () => sql`
    select current_setting('search_path') as path, current_setting('statement_timeout') as limit,
      current_setting('enable_bitmapscan') as bitmaps, current_setting('TimeZone') as zone`
  const expected = { path: '"public"', limit: '1999ms', bitmaps: 'off', zone: 'UTC' }
  for (let count = 0; count < 4; count++) {
    // As another client of the pooler would leave it.
    await sql.begin(async (transaction) => {
      await transaction`select set_config(name, value, false) from (values
        ('search_path', 'nowhere'), ('statement_timeout', '0'), ('enable_bitmapscan', 'on'))
        as row (name, value)`
    })
    expect([...(await settings())]).toEqual([expected])
    const inside = await sql.begin(
      'read only',
      (transaction) => transaction`
      select current_setting('search_path') as path, current_setting('transaction_read_only') as mode`,
    )
    expect([...inside]).toEqual([{ path: '"public"', mode: 'on' }])
  }
})

test('no statement is prepared, and parallel queries get their own answers', async () => {
  const numbers = Array.from({ length: 60 }, (_, index) => index)
  const answers = await Promise.all(
    numbers.map(async (number) => {
      const half = sql`${number}::int * 2`
      const [row] = await sql<{ a: number; b: number[] }[]>`
        select ${half} as a, ${sql.array([number, number + 1])}::int[] as b`
      return row
    }),
  )
  expect(answers).toEqual(numbers.map((number) => ({ a: number * 2, b: [number, number + 1] })))
  expect(await sql`select 1 from pg_prepared_statements`).toHaveLength(0)
  const db = drizzle({ client: sql, casing: 'snake_case' })
  await db.insert(titles).values({ titleKey: 'alpha:1', service: 'steam', updatedAt: new Date(0) })
  expect(await db.select({ key: titles.titleKey }).from(titles)).toEqual([{ key: 'alpha:1' }])
})

test('a statement that fails is rolled back and leaves the client usable', async () => {
  expect(await codeOf(sql`select 1 / 0`)).toBe('22012')
  expect(await codeOf(sql.unsafe('nonsense'))).toBe('42601')
  expect(await codeOf(sql.begin((transaction) => transaction`select 1 / 0`))).toBe('22012')
  expect(await codeOf(sql`select pg_sleep(60)`)).toBe('57014')
  expect([...(await sql`select 1 as one`)]).toEqual([{ one: 1 }])
})

test('a statement whose commit fails is not reported as done', async () => {
  await sql.unsafe(`create table late (id int);
    alter table late add unique (id) deferrable initially deferred`)
  await sql`insert into late values (1)`
  expect(await codeOf(sql`insert into late values (1)`)).toBe('23505')
  expect(await sql`select 1 from late`).toHaveLength(1)
})
