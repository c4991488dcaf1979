import type { Database } from 'bun:sqlite'
import { chmodSync, closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { drizzle, type BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite'
import { migrateSqlite } from '../migrate-sqlite.ts'
import { openSqlite } from '../sqlite.ts'
import * as schema from './schema/index.ts'

/** `state.sqlite`: accounts, sessions, settings, operations. Written by the main thread only. */
export interface StateDatabase {
  db: BunSQLiteDatabase<typeof schema>
  sqlite: Database
  close(): void
}

/** Password hashes are for nobody else to read; the files beside the database take its mode. */
function closeToOthers(path: string): void {
  closeSync(openSync(path, 'a', 0o600))
  chmodSync(path, 0o600)
}

export function openState(dataPath: string): StateDatabase {
  const path = join(dataPath, 'state.sqlite')
  closeToOthers(path)
  const sqlite = migrateSqlite({
    open: () => openSqlite(path),
    path,
    migrations: join(import.meta.dir, 'migrations'),
  })
  return {
    db: drizzle(sqlite, { schema, casing: 'snake_case' }),
    sqlite,
    close: () => sqlite.close(),
  }
}
