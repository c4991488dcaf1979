import { afterEach, expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, realpathSync } from 'node:fs'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Sql } from 'postgres'
import { openTestClient, untilState } from '../../test/support/postgres.ts'
import { quietLog } from '../../test/support/quiet-log.ts'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { readConfig } from '../../src/core/config.ts'
import { createHistory } from './create.ts'
import { writeCredentials } from './credentials.ts'
import { socketDirectory } from './embedded.ts'
import { chooseAccount, handOver, runAs } from './embedded/account.ts'
import { findBinaries } from './embedded/binaries.ts'
import type { Cluster } from './embedded/cluster.ts'
import { runningServer } from './embedded/orphan.ts'
import { startServer } from './embedded/server.ts'
import { failureCode } from './failures.ts'
import type { History } from './history.ts'
import { migrateHistory } from './migrate.ts'

const readyMs = 60_000

const folder = tempFolder('role')
// As root, the server runs under another account, which must have access.
chmodSync(folder, 0o755)
const started: History[] = []
afterEach(async () => {
  for (const history of started.splice(0)) await history.stop()
})

async function historyAt(name: string, environment: Record<string, string> = {}): Promise<History> {
  const config = readConfig({ DATA_PATH: join(folder, name), ...environment })
  const history = createHistory(config, quietLog)
  started.push(history)
  history.start()
  await untilState(history, 'ready', readyMs)
  return history
}

const rights = (history: History) =>
  history.read(async (_db, sql) => {
    const [row] = await sql`
      select current_user as "user", rolsuper or rolcreatedb or rolcreaterole or rolreplication
          or rolbypassrls or rolname = any(select rolname from pg_roles where oid = 10) as "isMore",
        (select count(*)::int from pg_roles where rolsuper) as superusers
      from pg_roles where rolname = current_user`
    return { ...row }
  })

/** Our objects that are not owned by the service's role. */
const foreignObjects = (sql: Sql) => sql<{ name: string }[]>`
  select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname in ('public', 'drizzle', 'own') and pg_get_userbyid(c.relowner) <> current_user
  union all select p.proname from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where n.nspname in ('public', 'own') and pg_get_userbyid(p.proowner) <> current_user
  union all select t.typname from pg_type t join pg_namespace n on n.oid = t.typnamespace
    where n.nspname in ('public', 'own') and pg_get_userbyid(t.typowner) <> current_user
  union all select nspname from pg_namespace
    where nspname in ('drizzle', 'own') and pg_get_userbyid(nspowner) <> current_user
  union all select datname from pg_database
    where datname = current_database() and pg_get_userbyid(datdba) <> current_user`

const plain = (user: string) => ({ user, isMore: false, superusers: 1 })
const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    (error: unknown) => String(error),
  )

/** A data folder of versions that signed in as the cluster's superuser. */
async function writeEarlierVersion(name: string, password: string): Promise<void> {
  const dataPath = join(folder, name)
  mkdirSync(dataPath)
  const account = chooseAccount(dataPath, { uid: null, gid: null })
  const binaries = findBinaries(dataPath, account)
  const dataDirectory = join(realpathSync(dataPath), 'postgres')
  const cluster: Cluster = {
    dataDirectory,
    socketDirectory: socketDirectory(dataPath),
    account,
    binaries,
  }
  for (const path of [dataDirectory, cluster.socketDirectory]) {
    mkdirSync(path, { mode: 0o700 })
    handOver(path, account)
  }
  const words = [binaries.initdb, '-D', dataDirectory, '-U', 'larder', '-E', 'UTF8', '--no-locale']
  words.push('-A', 'scram-sha-256', '--pwfile=/dev/stdin')
  const { command, identity } = runAs(account, words)
  const stdin = new Blob([`${password}\n`])
  expect(await Bun.spawn(command, { ...identity, stdin, stdout: 'ignore' }).exited).toBe(0)
  const settings = `listen_addresses = ''\nunix_socket_directories = '${cluster.socketDirectory}'\n`
  writeFileSync(join(dataDirectory, 'service.conf'), settings)
  handOver(join(dataDirectory, 'service.conf'), account)
  writeCredentials(dataPath, { username: 'larder', password })

  const server = await startServer(cluster, quietLog, new AbortController().signal)
  const target = { host: cluster.socketDirectory, port: 5432, user: 'larder', password }
  const setup = openTestClient({ ...target, database: 'postgres' })
  await setup`create database larder`
  await setup.end()
  const sql = openTestClient({ ...target, database: 'larder' })
  await migrateHistory(sql)
  await sql`create schema own`
  await sql`create type own.mood as enum ('good', 'bad')`
  await sql`create table own.note (id serial, mood own.mood, at int generated always as identity)`
  await sql`create sequence own.loose`
  await sql`create view own.notes as select * from own.note`
  await sql`create function own.one() returns int language sql as 'select 1'`
  await sql`insert into own.note (mood) values ('good')`
  await sql.end()
  await server.stop()
}

test('the service signs in as an ordinary owner of its database', async () => {
  const history = await historyAt('fresh')
  expect(await rights(history)).toEqual(plain('larder'))
  const program = history.read((_db, sql) => sql`copy (select 1) to program 'true'`)
  expect(await program.catch(failureCode)).toBe('42501')
  expect(await history.read((_db, sql) => foreignObjects(sql))).toBeEmpty()
})

test('a history of an earlier version is handed over completely', async () => {
  await writeEarlierVersion('earlier', `it's $1 "quoted" \\ 42`)
  const history = await historyAt('earlier')
  expect(await rights(history)).toEqual(plain('larder'))
  expect(await history.read((_db, sql) => foreignObjects(sql))).toBeEmpty()
  const rows = await history.read((_db, sql) => sql`select id, mood from own.notes`)
  expect(rows.map((row) => ({ ...row }))).toEqual([{ id: 1, mood: 'good' }])
  // Like a later migration.
  await history.read((_db, sql) => sql`alter table downloads add column later integer`)
  await history.read((_db, sql) => sql`alter table downloads drop column later`)
  // The former superuser exists under another name, and its password is useless.
  const { password, ...target } = history.connection()
  const former = openTestClient({ ...target, user: 'postgres', password })
  expect(await failureOf(former`select 1`.execute())).toContain('password authentication failed')
  await former.end()
  await history.stop()
  const again = await historyAt('earlier')
  expect(await rights(again)).toEqual(plain('larder'))
})

test('a new role name keeps everything, a new database name creates another one', async () => {
  const path = join(folder, 'renamed')
  const history = await historyAt('renamed')
  writeCredentials(path, { username: 'Odd "name"', password: 'new\\ "pass" \n\'x\' $b$' })
  history.credentialsChanged()
  await untilState(history, 'starting', readyMs)
  await untilState(history, 'ready', readyMs)
  expect(await rights(history)).toEqual(plain('Odd "name"'))
  expect(await history.read((_db, sql) => foreignObjects(sql))).toBeEmpty()
  await history.stop()
  const other = await historyAt('renamed', { POSTGRES_DB: 'other' })
  expect(await rights(other)).toEqual(plain('Odd "name"'))
  await other.stop()
  const named = await historyAt('postgres', { POSTGRES_USER: 'postgres' })
  expect(await rights(named)).toEqual(plain('postgres'))
})

test('a server that was stopped by a signal is continued and ends', async () => {
  const history = await historyAt('frozen')
  const pid = runningServer(join(folder, 'frozen', 'postgres')) ?? 0
  process.kill(pid, 'SIGSTOP')
  await history.stop()
  expect(runningServer(join(folder, 'frozen', 'postgres'))).toBeNull()
  // A server that had to be killed leaves this file behind.
  expect(existsSync(join(folder, 'frozen', 'postgres', 'postmaster.pid'))).toBe(false)
})
