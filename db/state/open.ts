import type { Database } from 'bun:sqlite'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { drizzle, type BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite'
import { moveAside, orDamaged, quickCheck } from '../damage.ts'
import { migrateSqlite } from '../migrate-sqlite.ts'
import { openSqlite } from '../sqlite.ts'
import * as schema from './schema/index.ts'
import { programFolder } from '../../src/core/lib/program-files.ts'

/** `state.sqlite`: accounts, sessions, settings, operations. Written only by the main thread. */
export interface StateDatabase {
  db: BunSQLiteDatabase<typeof schema>
  sqlite: Database
  close(): void
}

const advice = (path: string) =>
  `Stop the service and put back ${moveAside(path)} from a backup. Without one, move them out of the ` +
  'data folder: the service then asks for the key in the data folder before it begins with no accounts ' +
  'and no settings. Downloads, traffic and positions are kept elsewhere and stay.'

const pathIn = (dataPath: string) => join(dataPath, 'state.sqlite')

/** Throws DamagedStore, MigrationError. */
export function openState(dataPath: string): StateDatabase {
  const path = pathIn(dataPath)
  const sqlite = orDamaged(path, advice(path), () => {
    const database = migrateSqlite({
      open: () => openSqlite(path),
      path,
      migrations: join(programFolder, 'db/state/migrations'),
    })
    quickCheck(database)
    return database
  })
  return {
    db: drizzle(sqlite, { schema, casing: 'snake_case' }),
    sqlite,
    close: () => sqlite.close(),
  }
}

/** For short queries of other threads; null until the main thread has created the file. */
export const openStateReader = (dataPath: string): Database | null =>
  existsSync(pathIn(dataPath)) ? openSqlite(pathIn(dataPath), { readonly: true }) : null
