import type { Database } from 'bun:sqlite'
import { copyFileSync, existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { drizzle } from 'drizzle-orm/bun-sqlite'
import { migrate } from 'drizzle-orm/bun-sqlite/migrator'
import { isDamage } from './damage.ts'
import { openSqlite } from './sqlite.ts'

interface Journal {
  entries: { when: number; tag: string }[]
}

/** A migration failed; the file was restored. */
export class MigrationError extends Error {}

const appliedCount = (database: Database): number => {
  const table = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = '__drizzle_migrations'"
  if (database.query(table).get() === null) return 0
  const row = database.query('SELECT count(*) AS n FROM __drizzle_migrations').get() as {
    n: number
  }
  return row.n
}

const journalOf = (migrations: string): Journal =>
  JSON.parse(readFileSync(join(migrations, 'meta', '_journal.json'), 'utf8')) as Journal

/** Migrations that an existing file lacks; 0 for a newer or a damaged one. */
export function pendingMigrations(path: string, migrations: string): number {
  try {
    using database = openSqlite(path, { readonly: true })
    return Math.max(0, journalOf(migrations).entries.length - appliedCount(database))
  } catch (error) {
    if (isDamage(error)) return 0
    throw error
  }
}

/**
 * Migrates a SQLite file to the newest schema. Copies the file first and restores the copy when a
 * migration fails. Checks afterwards that every journal entry was applied, because the migrator
 * silently skips entries older than the newest applied one.
 */
export function migrateSqlite(options: {
  open: () => Database
  path: string
  migrations: string
}): Database {
  const { open, path, migrations } = options
  const journal = journalOf(migrations)
  const isNew = !existsSync(path)
  const database = open()
  const applied = appliedCount(database)
  if (applied === journal.entries.length) return database
  if (applied > journal.entries.length) {
    database.close()
    throw new MigrationError(`${path} was written by a newer version of Larder`)
  }
  const copy = `${path}.before-migration`
  if (!isNew) {
    database.run('PRAGMA wal_checkpoint(TRUNCATE)')
    copyFileSync(path, copy)
  }
  try {
    migrate(drizzle(database), { migrationsFolder: migrations })
    const after = appliedCount(database)
    if (after !== journal.entries.length) {
      throw new Error(`${after} of ${journal.entries.length} migrations are applied`)
    }
  } catch (cause) {
    database.close()
    if (!isNew) {
      for (const suffix of ['-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true })
      copyFileSync(copy, path)
    }
    throw new MigrationError(`migrating ${path} failed; the file is as it was before`, { cause })
  }
  rmSync(copy, { force: true })
  return database
}
