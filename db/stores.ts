import type { Database } from 'bun:sqlite'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { programFolder } from '../src/core/lib/program-files.ts'
import { quickCheck } from './damage.ts'
import { migrateSqlite } from './migrate-sqlite.ts'
import { openSqlite } from './sqlite.ts'

/** The SQLite files of the data folder, by their names without `.sqlite`. */
export type StoreName = 'cache' | 'catalog' | 'hot' | 'state'

export const storePath = (dataPath: string, name: StoreName): string =>
  join(dataPath, `${name}.sqlite`)

export const migrationsOf = (name: StoreName): string =>
  join(programFolder, 'db', name, 'migrations')

/** Opens a store for its writer, and migrates it. Throws MigrationError. */
export const openStore = (dataPath: string, name: StoreName): Database =>
  migrateSqlite(storePath(dataPath, name), migrationsOf(name))

/** The same after a check of the whole file. Throws SQLite's error, and leaves nothing open. */
export function openChecked(dataPath: string, name: StoreName): Database {
  const database = openStore(dataPath, name)
  try {
    quickCheck(database)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** For short queries of other threads; null until the store's writer has created the file. */
export function openReader(dataPath: string, name: StoreName): Database | null {
  const path = storePath(dataPath, name)
  return existsSync(path) ? openSqlite(path, { readonly: true }) : null
}
