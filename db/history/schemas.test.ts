import { afterAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import type { Sql } from 'postgres'
import { emptyHistory } from '../../src/engines/shipper/link.ts'
import { copyHistory } from '../../test/support/copy-history.ts'
import { eventually } from '../../test/support/eventually.ts'
import { HistoryLinkFixture } from '../../test/support/history-link-fixture.ts'
import { laterMigrations } from '../../test/support/older-installation.ts'
import { emptyDatabase, openTestClient, testServer } from '../../test/support/postgres.ts'
import { readConfig } from '../../src/core/config.ts'
import type { HistoryTarget } from './connect.ts'
import { migrateHistory } from './migrate.ts'

interface Site {
  target: HistoryTarget
  sql: Sql
  fixture: HistoryLinkFixture
}

async function siteIn(database: HistoryTarget, schema: string): Promise<Site> {
  const target = { ...database, schema }
  const sql = openTestClient(target)
  await migrateHistory(sql)
  return { target, sql, fixture: new HistoryLinkFixture(target) }
}

const database = await emptyDatabase()
/** Names that need quotes, or that a search path without them would fold. */
const sites = { one: await siteIn(database, 'one'), Other: await siteIn(database, 'Other') }

afterAll(async () => {
  for (const { fixture } of Object.values(sites)) await fixture.stop()
})

/** Everything in a database that Postgres did not bring, by schema. */
const objectsIn = (sql: Sql) => sql<{ schema: string; kind: string; name: string }[]>`
  select nspname as schema, kind, name from (
    select relnamespace as place, 'relation' as kind, relname::text as name from pg_class
    union all select pronamespace, 'function', proname from pg_proc
    union all select typnamespace, 'type', typname from pg_type
    union all select connamespace, 'constraint', conname from pg_constraint
    union all select stxnamespace, 'statistics', stxname from pg_statistic_ext
    union all select oprnamespace, 'operator', oprname from pg_operator
    union all select oid, 'schema', nspname from pg_namespace
  ) as objects join pg_namespace on pg_namespace.oid = place
  where nspname !~ '^pg_' and nspname <> 'information_schema'
  order by 1, 2, 3`

/** Row counts and bytes of the tables, and what the triggers made of them. */
async function contentOf(sql: Sql): Promise<string> {
  const tables = await sql<{ name: string }[]>`
    select relname as name from pg_class join pg_namespace on pg_namespace.oid = relnamespace
    where nspname = current_schema()
      and relkind in ('r', 'p') and not relispartition order by 1`
  const sums = []
  for (const { name } of tables) {
    const [row] = await sql<{ hash: string }[]>`
      select count(*) || ' ' || coalesce(md5(string_agg(row::text, '|' order by row::text)), '') as hash
      from ${sql(name)} as row`
    sums.push(`${name} ${row?.hash}`)
  }
  return sums.join('\n')
}

async function imported({ fixture }: Site, lines: number): Promise<void> {
  fixture.write(lines)
  fixture.start()
  await eventually(async () => {
    const { traffic } = await fixture.totals()
    return traffic?.requests === fixture.expected.requests
  }, 'the log is in the history')
  await fixture.stop()
}

test('an installation is in its schema, whole, and nowhere else', async () => {
  const objects = await objectsIn(sites.one.sql)
  const inOne = objects.filter(({ schema }) => schema === 'one')
  const inOther = objects.filter(({ schema }) => schema === 'Other')
  const named = (list: typeof inOne) => list.map(({ kind, name }) => `${kind} ${name}`)
  expect(named(inOne).filter((name) => !name.startsWith('schema'))).toEqual(
    named(inOther).filter((name) => !name.startsWith('schema')),
  )
  expect(inOne.length).toBeGreaterThan(150)
  expect(named(inOne)).toContain('relation __drizzle_migrations')
  const elsewhere = objects.filter(({ schema }) => schema !== 'one' && schema !== 'Other')
  expect(named([...elsewhere])).toEqual(['schema public'])
})

test('every function finds its tables whatever the search path of its caller is', async () => {
  const { sql } = sites.Other
  const functions = await sql<{ name: string; path: string | null; isParsed: boolean }[]>`
    select proname as name, prosqlbody is not null as "isParsed",
      (select setting from unnest(proconfig) as setting where setting like 'search_path=%') as path
    from pg_proc where pronamespace = '"Other"'::regnamespace order by 1`
  expect(functions.length).toBeGreaterThan(5)
  for (const { name, path, isParsed } of functions) {
    expect([name, isParsed ? 'parsed' : path]).toEqual([
      name,
      isParsed ? 'parsed' : 'search_path="Other"',
    ])
  }
})

test('two installations count side by side, and emptying one leaves the other', async () => {
  const { one, Other } = sites
  await Promise.all([imported(one, 3000), imported(Other, 1700)])
  for (const { fixture } of [one, Other]) {
    const totals = await fixture.totals()
    for (const sum of Object.values(totals)) expect(sum).toEqual(fixture.expected)
    expect(await fixture.downloadCount()).toBe(fixture.expectedDownloads.size)
  }
  const kept = await contentOf(one.sql)
  await emptyHistory(Other.sql, { installation: 'this-installation', forgetsTitles: true })
  expect(await contentOf(one.sql)).toBe(kept)
  expect(await Other.sql`select 1 from client_day`).toHaveLength(0)
})

test('a snapshot of one is restored into the other, and back, without touching the first', async () => {
  const { one, Other } = sites
  const before = await contentOf(one.sql)
  await copyHistory(one.target, Other.sql)
  expect(await contentOf(Other.sql)).toBe(before)
  expect(await contentOf(one.sql)).toBe(before)
  await Other.sql`delete from downloads where client = '10.0.0.1'`
  expect(await contentOf(one.sql)).toBe(before)
  expect([...(await placesIn(one.sql))].sort()).toEqual(['Other', 'one', 'public'])
})

/** A history as versions before POSTGRES_SCHEMA left it: its list in a schema of its own. */
async function formerHistory(): Promise<Sql> {
  const sql = openTestClient({ ...(await emptyDatabase()), schema: 'public' })
  await migrateHistory(sql)
  await sql`insert into titles (title_key, service, updated_at) values ('alpha:1', 'steam', now())`
  await sql.unsafe(`create schema drizzle; create table drizzle.__drizzle_migrations
    (id serial primary key, hash text not null, created_at bigint);
    insert into drizzle.__drizzle_migrations (hash, created_at)
      select hash, created_at from __drizzle_migrations order by created_at;
    drop table __drizzle_migrations;
    alter function report_truncate() reset search_path;
    comment on function report_truncate() is 'rollups.sql of before'`)
  return sql
}

const placesIn = async (sql: Sql) => new Set((await objectsIn(sql)).map(({ schema }) => schema))

test('an installation of before goes on, and its list moves with the first change of tables', async () => {
  const sql = await formerHistory()
  const list = [...(await sql`select hash, created_at from drizzle.__drizzle_migrations`)]
  const before = await contentOf(sql)
  await migrateHistory(sql)
  expect(await contentOf(sql)).toBe(before)
  // The version that made it would still find its list.
  expect([...(await sql`select hash, created_at from drizzle.__drizzle_migrations`)]).toEqual(list)
  const [truncate] = await sql`select proconfig from pg_proc where proname = 'report_truncate'`
  expect(truncate).toEqual({ proconfig: ['search_path="public"'] })

  await migrateHistory(sql, laterMigrations('create table later (at integer)'))
  expect((await contentOf(sql)).split('\n')).toEqual(expect.arrayContaining(before.split('\n')))
  expect([
    ...(await sql`select hash, created_at from __drizzle_migrations order by 2 limit ${list.length}`),
  ]).toEqual(list)
  expect([...(await placesIn(sql))]).toEqual(['public'])
})

test('a snapshot that is restored into an installation of before moves its list, too', async () => {
  const sql = await formerHistory()
  await copyHistory(sites.one.target, sql)
  expect(await contentOf(sql)).toBe(await contentOf(sites.one.sql))
  expect([...(await placesIn(sql))]).toEqual(['public'])
  await migrateHistory(sql)
  expect(await contentOf(sql)).toBe(await contentOf(sites.one.sql))
})

test('a schema of others with the same name for its list stays', async () => {
  const target = await emptyDatabase()
  const sql = openTestClient({ ...target, schema: 'public' })
  await sql.unsafe(`create schema drizzle; create table drizzle.__drizzle_migrations
    (id serial primary key, hash text not null, created_at bigint);
    insert into drizzle.__drizzle_migrations (hash, created_at) values ('of another program', 5)`)
  await migrateHistory(sql)
  await migrateHistory(sql)
  expect(await sql`select 1 from drizzle.__drizzle_migrations`).toHaveLength(1)
})

test('a role that owns no more than its schema is enough', async () => {
  const { admin, target } = await testServer()
  const { database: name } = await emptyDatabase()
  await admin`create role lodger login password 'lodger-pass'`
  const lodger = { ...target(name), user: 'lodger', password: 'lodger-pass', schema: 'lodging' }
  const owner = openTestClient(target(name))
  await owner.unsafe(`revoke all on schema public from public`).catch(() => {})
  await owner.end()
  const sql = openTestClient(lodger)
  const refusal: unknown = await migrateHistory(sql).catch((error: unknown) => error)
  expect(refusal).toMatchObject({ code: '42501' })
  const superuser = openTestClient({ ...target(name), user: admin.options.user })
  await superuser`create schema lodging authorization lodger`
  await superuser.end()
  await migrateHistory(sql)
  await migrateHistory(sql)
})

test('where Citus is, its permission for triggers is given while they are created', async () => {
  const { admin } = await testServer()
  const target = { ...(await emptyDatabase()), schema: 'spread' }
  const superuser = openTestClient({ ...target, user: admin.options.user, schema: 'public' })
  await superuser.unsafe(`create table seen (setting text); grant insert on seen to public;
    create function note() returns event_trigger language plpgsql as $$ begin
      insert into public.seen values (current_setting('citus.enable_unsafe_triggers')); end $$;
    create event trigger note on ddl_command_end when tag in ('CREATE TRIGGER') execute function note()`)
  const sql = openTestClient(target)
  await sql`select set_config('citus.enable_unsafe_triggers', 'off', false)`
  await migrateHistory(sql)
  const seen = await superuser<{ setting: string }[]>`select distinct setting from seen`
  expect([...seen]).toEqual([{ setting: 'on' }])
  const [after] = await sql`select current_setting('citus.enable_unsafe_triggers') as value`
  expect(after?.['value']).toBe('off')
})

test('no statement is one that a distributed schema refuses, and none names a schema', () => {
  const root = join(import.meta.dir, '../..')
  const files = [...new Glob('{src,db}/**/*.{ts,sql}').scanSync(root)].filter(
    (name) => !name.includes('.test.') && !name.startsWith('src/web'),
  )
  expect(files.length).toBeGreaterThan(500)
  for (const name of files) {
    const text = readFileSync(join(root, name), 'utf8')
    // Error 0A000: a function of the moment may differ between two machines.
    const updates = text.match(/do update set[^`;]*/gi) ?? []
    expect([name, updates.filter((update) => /now\(\)|clock_timestamp/i.test(update))]).toEqual([
      name,
      [],
    ])
    if (name.startsWith('db/history'))
      expect([name, /"?public"?\."/.test(text)]).toEqual([name, false])
  }
})

test.each(['pg_temp', 'information_schema', 'drizzle', 'a-b', '1st'])(
  'the name %s is refused as a schema',
  (name) => {
    expect(() => readConfig({ POSTGRES_SCHEMA: name })).toThrow('POSTGRES_SCHEMA')
  },
)
