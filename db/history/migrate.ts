import { readFileSync } from 'node:fs'
import { drizzle } from 'drizzle-orm/postgres-js'
import { migrate } from 'drizzle-orm/postgres-js/migrator'
import type { Sql, TransactionSql } from 'postgres'
import { beforeFirstRelease, countedMigrations, knownMigrations } from '../migrations.ts'
import { failureKind, HistoryFault } from './failures.ts'
import { errorText } from '../../src/core/lib/error-text.ts'

export const migrationsFolder = `${import.meta.dir}/migrations`

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
  const [table] = await sql`select to_regclass('drizzle.__drizzle_migrations') is not null as found`
  if (table?.found !== true) return []
  const rows = await sql<{ created_at: string }[]>`
    select created_at from drizzle.__drizzle_migrations order by created_at`
  const all = rows.map((row) => Number(row.created_at))
  const counted = countedMigrations(all, knownMigrations(folder))
  if (counted !== null) return counted
  throw new HistoryFault(
    beforeFirstRelease('The history', 'give Larder an empty database (docs/operate.md)'),
  )
}

const rollups = readFileSync(`${import.meta.dir}/rollups.sql`, 'utf8')
const rollupsVersion = `rollups.sql ${Bun.SHA256.hash(rollups, 'hex')}`

/** Functions of `rollups.sql`. */
export const rollupFunctions = [...rollups.matchAll(/^CREATE OR REPLACE FUNCTION (\w+)/gm)].map(
  ([, name = '']) => name,
)

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
  if (failureKind(error) !== 'other') throw error
  const reason = errorText(error)
  throw new HistoryFault(
    `The history could not be updated and is as it was before: ${reason}. To go back, start the ` +
      'version that ran before with the snapshot of before the update (docs/operate.md, "Update")',
    { cause: error },
  )
}

/**
 * Brings schema and roll-ups up to date. Needs a client with exactly one connection, which owns the lock.
 * Throws HistoryFault when the database is newer than this program, or when the migrator, which
 * compares only time stamps, has skipped a migration. Calls `onBegin` where there is something to do.
 */
export async function migrateHistory(
  sql: Sql,
  folder = migrationsFolder,
  onBegin = () => {},
): Promise<void> {
  const known = new Set(knownMigrations(folder))
  await sql`select set_config('lock_timeout', ${String(lockWaitMs)}, false)`
  await sql`select pg_advisory_lock(${lockKey})`
  try {
    const before = await appliedMigrations(sql, folder)
    if (before.some((when) => !known.has(when))) {
      throw new HistoryFault(
        'The history was written by a newer version of this service: update the service',
      )
    }
    if (before.length < known.size) {
      onBegin()
      await migrate(drizzle({ client: sql }), { migrationsFolder: folder }).catch(refused)
    }
    const after = await appliedMigrations(sql, folder)
    if (after.length !== known.size) {
      throw new HistoryFault(
        `The history has ${after.length} of ${known.size} migrations: a migration was left out`,
      )
    }
    await sql.begin(applyRollups).catch(refused)
  } finally {
    // A lost connection has already released the lock.
    await sql`select pg_advisory_unlock(${lockKey})`.catch(() => {})
  }
}
