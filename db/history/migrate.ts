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
 * Time stamps of the migrations that a history has, oldest first. Throws HistoryFault when it is too
 * old for this program.
 */
export async function appliedMigrations(
  sql: Sql | TransactionSql,
  folder = migrationsFolder,
): Promise<number[]> {
  const [found] = await sql<{ isListed: boolean; isFilled: boolean }[]>`
    select to_regclass('__drizzle_migrations') is not null as "isListed",
      to_regclass('downloads') is not null as "isFilled"`
  if (found?.isListed !== true && found?.isFilled !== true) return []
  const rows = found.isListed
    ? await sql<{ at: string }[]>`select created_at as at from __drizzle_migrations order by 1`
    : []
  const counted = countedMigrations(
    rows.map(({ at }) => Number(at)),
    knownMigrations(folder),
  )
  if (counted !== null && found.isListed) return counted
  throw new HistoryFault(
    beforeFirstRelease('The history', 'give Larder an empty database (docs/operate.md)'),
  )
}

/** Creates the schema of the installation and its list of migrations where they are missing. */
export async function prepareSchema(sql: TransactionSql): Promise<void> {
  const [schema] = await sql<{ name: string | null; path: string }[]>`
    select current_schema() as name, current_setting('search_path') as path`
  // Creating an existing one would need a right that its owner may not have.
  if (schema?.name === null) await sql.unsafe(`create schema if not exists ${schema.path}`)
  await sql`
    create table if not exists __drizzle_migrations (created_at bigint not null, hash text not null)`
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
 * waits for everybody who uses the tables.
 */
export async function applyRollups(sql: TransactionSql): Promise<void> {
  const [kept] = await sql`
    select obj_description(to_regproc('report_truncate'), 'pg_proc') as version`
  if (kept?.version === rollupsVersion) return
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
 * Brings schema, migrations and roll-ups up to date, each in a transaction that owns the lock: a pooler
 * may give the next one another connection. Throws HistoryFault when the database is newer than this
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
    const missing = await missingMigrations(transaction, folder)
    if (missing.length === 0) return
    onBegin()
    await prepareSchema(transaction)
    await applyMigrations(transaction, missing)
  })
  await locked(applyRollups)
}
