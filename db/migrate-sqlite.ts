import type { Database } from 'bun:sqlite'
import { drizzle } from 'drizzle-orm/bun-sqlite'
import { migrate } from 'drizzle-orm/bun-sqlite/migrator'
import { isDamage } from './damage.ts'
import { beforeFirstRelease, countedMigrations, knownMigrations } from './migrations.ts'
import { openSqlite } from './sqlite.ts'

/** A file cannot be brought to the newest schema; it is as it was. */
export class MigrationError extends Error {}

/** Time stamps of the migrations that a file has, oldest first; null when all are too old. */
function appliedIn(database: Database, known: readonly number[]): number[] | null {
  const table = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = '__drizzle_migrations'"
  if (database.query(table).get() === null) return []
  const rows = database.query('SELECT created_at AS at FROM __drizzle_migrations ORDER BY 1').all()
  // The query's columns.
  return countedMigrations(
    (rows as { at: number }[]).map(({ at }) => at),
    known,
  )
}

/** The same; throws MigrationError for a file that this program cannot continue. */
function acceptedIn(database: Database, path: string, known: readonly number[]): number[] {
  const applied = appliedIn(database, known)
  if (applied === null) {
    throw new MigrationError(beforeFirstRelease(path, 'move it away to begin anew'))
  }
  if (applied.every((when) => known.includes(when))) return applied
  throw new MigrationError(`${path} was written by a newer version of Larder`)
}

/**
 * Migrations that an existing file lacks; 0 for a damaged one. Throws MigrationError for one of a newer
 * version, and for one of before the first release.
 */
export function pendingMigrations(path: string, migrations: string): number {
  try {
    using database = openSqlite(path, { readonly: true })
    const known = knownMigrations(migrations)
    return known.length - acceptedIn(database, path, known).length
  } catch (error) {
    if (isDamage(error)) return 0
    throw error
  }
}

/**
 * Opens a SQLite file and migrates it to the newest schema, in one transaction. Throws MigrationError,
 * and the file is as it was.
 */
export function migrateSqlite(path: string, migrations: string): Database {
  const known = knownMigrations(migrations)
  const database = openSqlite(path)
  try {
    const applied = acceptedIn(database, path, known)
    if (applied.length === known.length) return database
    // The migrator silently skips those older than the newest applied one.
    const newest = applied.at(-1) ?? 0
    if (applied.length + known.filter((when) => when > newest).length !== known.length) {
      throw new MigrationError(`${path} lacks a migration that is older than one that it has`)
    }
    upgrade(database, path, migrations)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

function upgrade(database: Database, path: string, migrations: string): void {
  try {
    migrate(drizzle(database), { migrationsFolder: migrations })
  } catch (cause) {
    throw new MigrationError(`migrating ${path} failed; the file is as it was before`, { cause })
  }
}
