import type { Database } from 'bun:sqlite'
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

export function openState(dataPath: string): StateDatabase {
  const path = join(dataPath, 'state.sqlite')
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
