import { readFileSync } from 'node:fs'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import type { Sql, TransactionSql } from 'postgres'
import { beforeFirstRelease, countedMigrations, knownMigrations } from '../migrations.ts'
import { failureKind, HistoryFault } from './failures.ts'
import { errorText } from '../../src/core/lib/error-text.ts'
import { programFolder } from '../../src/core/lib/program-files.ts'

export const migrationsFolder = `${programFolder}/db/history/migrations`

/** Any number, as long as every instance uses the same. */
const lockKey = 7_310_219

/** How long to wait while another instance migrates, perhaps a large database. */
const lockWaitMs = 600_000

/**
 * Whether the applied migrations are listed where versions before POSTGRES_SCHEMA listed them: in a
 * schema of their own, which two installations of one database would share, and other programs may
 * use. Only `public` held such installations.
 */
async function isListedElsewhere(
  sql: Sql | TransactionSql,
  known: readonly number[],
): Promise<boolean> {
  const [found] = await sql<{ isFirst: boolean }[]>`
    select to_regclass('__drizzle_migrations') is null as "isFirst"
    from pg_class list join pg_namespace place on place.oid = list.relnamespace
    where nspname = 'drizzle' and relname = '__drizzle_migrations' and pg_has_role(relowner, 'USAGE')
      and current_schema() = 'public' and to_regclass('downloads') is not null`
  if (found === undefined) return false
  const [listed] = await sql<{ count: number; ours: number }[]>`
    select count(*)::int as count, (count(*) filter (where created_at in ${sql(known)}))::int as ours
    from drizzle.__drizzle_migrations`
  return (listed?.ours ?? 0) > 0 || (found.isFirst && (listed?.count ?? 0) > 0)
}

/** Moves that list into the schema. One beside it is older than a snapshot that a former version restored. */
async function adoptList(sql: TransactionSql): Promise<void> {
  await sql`delete from __drizzle_migrations`
  await sql`
    insert into __drizzle_migrations (created_at, hash)
    select created_at, hash from drizzle.__drizzle_migrations`
  await sql`drop table drizzle.__drizzle_migrations`
  const [empty] = await sql`
    select 1 from pg_namespace where nspname = 'drizzle' and pg_has_role(nspowner, 'USAGE')
      and not exists (select 1 from pg_depend
        where refclassid = 'pg_namespace'::regclass and refobjid = pg_namespace.oid)`
  if (empty !== undefined) await sql`drop schema drizzle`
}

/**
 * Time stamps of the migrations that a history has, oldest first. Throws HistoryFault when it is too
 * old for this program.
 */
export async function appliedMigrations(
  sql: Sql | TransactionSql,
  folder = migrationsFolder,
): Promise<number[]> {
  const known = knownMigrations(folder)
  const isElsewhere = await isListedElsewhere(sql, known)
  const [table] = await sql`select to_regclass('__drizzle_migrations') is not null as found`
  if (!isElsewhere && table?.found !== true) return []
  const rows = await sql<{ created_at: string }[]>`
    select created_at from ${sql(isElsewhere ? 'drizzle.__drizzle_migrations' : '__drizzle_migrations')}
    order by created_at`
  const all = rows.map((row) => Number(row.created_at))
  const counted = countedMigrations(all, known)
  if (counted !== null) return counted
  throw new HistoryFault(
    beforeFirstRelease('The history', 'give Larder an empty database (docs/operate.md)'),
  )
}

/** Creates the schema of the installation and its list of migrations where they are missing. */
export async function prepareSchema(sql: TransactionSql, folder = migrationsFolder): Promise<void> {
  const isElsewhere = await isListedElsewhere(sql, knownMigrations(folder))
  const [schema] = await sql<{ name: string | null; path: string }[]>`
    select current_schema() as name, current_setting('search_path') as path`
  // Creating an existing one would need a right that its owner may not have.
  if (schema?.name === null) await sql.unsafe(`create schema if not exists ${schema.path}`)
  await sql`
    create table if not exists __drizzle_migrations (created_at bigint not null, hash text not null)`
  if (isElsewhere) await adoptList(sql)
}

/** Runs migrations and lists them, in the caller's transaction. */
export async function applyMigrations(
  sql: TransactionSql,
  migrations: ReturnType<typeof readMigrationFiles>,
): Promise<void> {
  for (const { sql: statements, hash, folderMillis } of migrations) {
    for (const statement of statements) await sql.unsafe(statement)
    await sql`insert into __drizzle_migrations (created_at, hash) values (${folderMillis}, ${hash})`
  }
}

const rollups = readFileSync(`${programFolder}/db/history/rollups.sql`, 'utf8')
const rollupsVersion = `rollups.sql ${Bun.SHA256.hash(rollups, 'hex')}`

const rollupNames = (pattern: RegExp) => [...rollups.matchAll(pattern)].map(([, name = '']) => name)

/** Functions of `rollups.sql`: those that it names, and one for each arrow between sums. */
export const rollupFunctions = [
  ...rollupNames(/^CREATE OR REPLACE FUNCTION (\w+)/gm),
  ...rollupNames(/^\t\t\('\w+', '(\w+)', '/gm).map((target) => `report_fold_${target}`),
]

/**
 * Creates the triggers and functions of `rollups.sql` unless a history has just these: replacing them
 * waits for everybody who uses the tables, and no batch is stored meanwhile. One that has begun would
 * wait for the next table, and hold one that this waits for.
 */
export async function applyRollups(sql: TransactionSql): Promise<void> {
  const [kept] = await sql`
    select obj_description(to_regproc('report_truncate'), 'pg_proc') as version`
  if (kept?.version === rollupsVersion) return
  await sql`lock table shipped_batch in share mode`
  await sql.unsafe(rollups)
  await sql.unsafe(`comment on function report_truncate() is '${rollupsVersion}'`)
}

/** A connection that was lost begins again; a statement that fails does so every time. */
function refused(error: unknown): never {
  if (failureKind(error) !== 'other' || error instanceof HistoryFault) throw error
  const reason = errorText(error)
  throw new HistoryFault(
    `The history could not be updated and is as it was before: ${reason}. To go back, start the ` +
      'version that ran before with the snapshot of before the update (docs/operate.md, "Update")',
    { cause: error },
  )
}

/** The migrations that a history lacks. Throws HistoryFault when it is newer, or when they have a gap. */
async function missingMigrations(sql: TransactionSql, folder: string) {
  const known = knownMigrations(folder)
  const applied = await appliedMigrations(sql, folder)
  if (applied.some((when) => !known.includes(when))) {
    throw new HistoryFault(
      'The history was written by a newer version of this service: update the service',
    )
  }
  const newest = applied.at(-1) ?? 0
  const missing = readMigrationFiles({ migrationsFolder: folder }).filter(
    ({ folderMillis }) => folderMillis > newest,
  )
  const count = applied.length + missing.length
  if (count === known.length) return missing
  throw new HistoryFault(
    `The history has ${count} of ${known.length} migrations: a migration was left out`,
  )
}

/**
 * Brings schema, migrations and roll-ups up to date, in transactions that own the lock: a pooler may
 * give the next one another connection. An update of tables that exist is one transaction, in which no
 * batch is stored: nodes may send theirs, and new sums would lack a batch between them and their
 * triggers. Throws HistoryFault when the database is newer than this
 * program, or when a migration is older than one that was applied before. Calls `onBegin` where there
 * is something to do.
 */
export async function migrateHistory(
  sql: Sql,
  folder = migrationsFolder,
  onBegin = () => {},
): Promise<void> {
  const locked = (work: (transaction: TransactionSql) => Promise<void>) =>
    sql
      .begin(async (transaction) => {
        await transaction`select set_config('lock_timeout', ${String(lockWaitMs)}, true)`
        await transaction`select pg_advisory_xact_lock(${lockKey})`
        await work(transaction)
      })
      .catch(refused)
  await locked(async (transaction) => {
    await missingMigrations(transaction, folder)
    // A list elsewhere moves with the next change of the tables: until then, the version that made it can
    // be started again.
    const isElsewhere = await isListedElsewhere(transaction, knownMigrations(folder))
    if (!isElsewhere) await prepareSchema(transaction, folder)
  })
  await locked(async (transaction) => {
    const missing = await missingMigrations(transaction, folder)
    if (missing.length === 0) return
    onBegin()
    await prepareSchema(transaction, folder)
    const isUpdate = missing.length < knownMigrations(folder).length
    if (isUpdate) await transaction`lock table shipped_batch in share mode`
    await applyMigrations(transaction, missing)
    if (isUpdate) await applyRollups(transaction)
  })
  await locked(applyRollups)
}
