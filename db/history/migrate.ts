import { readFileSync } from 'node:fs'
import { drizzle } from 'drizzle-orm/postgres-js'
import { migrate } from 'drizzle-orm/postgres-js/migrator'
import type { Sql } from 'postgres'
import { failureKind, HistoryFault } from './failures.ts'

export const migrationsFolder = `${import.meta.dir}/migrations`

/** Any number, as long as every instance uses the same. */
const lockKey = 7_310_219

/** How long to wait while another instance migrates, perhaps a large database. */
const lockWaitMs = 600_000

/** Time stamps of the migrations of this program, oldest first. */
export function knownMigrations(folder = migrationsFolder): number[] {
  // Written by drizzle-kit; db/migrations.test.ts checks it.
  const journal = JSON.parse(readFileSync(`${folder}/meta/_journal.json`, 'utf8')) as {
    entries: { when: number }[]
  }
  return journal.entries.map((entry) => entry.when)
}

/** Time stamps of the migrations that a history has, oldest first. */
export async function appliedMigrations(sql: Sql): Promise<number[]> {
  const [table] = await sql`select to_regclass('drizzle.__drizzle_migrations') is not null as found`
  if (table?.found !== true) return []
  const rows = await sql<{ created_at: string }[]>`
    select created_at from drizzle.__drizzle_migrations order by created_at`
  return rows.map((row) => Number(row.created_at))
}

/** A connection that was lost begins again; a statement that fails does so every time. */
function refused(error: unknown): never {
  if (failureKind(error) !== 'other') throw error
  const reason = error instanceof Error ? error.message : String(error)
  throw new HistoryFault(
    `The history could not be updated and is as it was before: ${reason}. To go back, start the ` +
      'version that ran before with the snapshot of before the update (README, "Update and go back")',
    { cause: error },
  )
}

/**
 * Brings the schema up to date. Needs a client with exactly one connection, which owns the lock.
 * Throws HistoryFault when the database is newer than this program, or when the migrator, which
 * compares only time stamps, has skipped a migration.
 */
export async function migrateHistory(sql: Sql, folder = migrationsFolder): Promise<void> {
  const known = new Set(knownMigrations(folder))
  await sql`select set_config('lock_timeout', ${String(lockWaitMs)}, false)`
  await sql`select pg_advisory_lock(${lockKey})`
  try {
    const before = await appliedMigrations(sql)
    if (before.some((when) => !known.has(when))) {
      throw new HistoryFault(
        'The history was written by a newer version of this service: update the service',
      )
    }
    if (before.length < known.size) {
      await migrate(drizzle({ client: sql }), { migrationsFolder: folder }).catch(refused)
    }
    const after = await appliedMigrations(sql)
    if (after.length !== known.size) {
      throw new HistoryFault(
        `The history has ${after.length} of ${known.size} migrations: a migration was left out`,
      )
    }
  } finally {
    // A lost connection has already released the lock.
    await sql`select pg_advisory_unlock(${lockKey})`.catch(() => {})
  }
}
