import { afterEach, expect, test } from 'bun:test'
import { chmodSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Sql } from 'postgres'
import { untilState } from '../../test/support/postgres.ts'
import { quietLog } from '../../test/support/quiet-log.ts'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { readConfig } from '../../src/core/config.ts'
import { createHistory } from './create.ts'
import { writeCredentials } from './credentials.ts'
import { runningServer } from './embedded/orphan.ts'
import { failureCode } from './failures.ts'
import type { History } from './history.ts'

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
    where n.nspname = 'public' and pg_get_userbyid(c.relowner) <> current_user
  union all select p.proname from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where n.nspname = 'public' and pg_get_userbyid(p.proowner) <> current_user
  union all select t.typname from pg_type t join pg_namespace n on n.oid = t.typnamespace
    where n.nspname = 'public' and pg_get_userbyid(t.typowner) <> current_user
  union all select datname from pg_database
    where datname = current_database() and pg_get_userbyid(datdba) <> current_user`

const plain = (user: string) => ({ user, isMore: false, superusers: 1 })
test('the service signs in as an ordinary owner of its database', async () => {
  const history = await historyAt('fresh')
  expect(await rights(history)).toEqual(plain('larder'))
  const program = history.read((_db, sql) => sql`copy (select 1) to program 'true'`)
  expect(await program.catch(failureCode)).toBe('42501')
  expect(await history.read((_db, sql) => foreignObjects(sql))).toBeEmpty()
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
