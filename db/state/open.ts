import type { Database } from 'bun:sqlite'
import { drizzle, type BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite'
import { moveAside, orDamaged } from '../damage.ts'
import { openChecked, storePath } from '../stores.ts'
import * as schema from './schema/index.ts'

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

/** Throws DamagedStore, MigrationError. */
export function openState(dataPath: string): StateDatabase {
  const path = storePath(dataPath, 'state')
  const sqlite = orDamaged(path, advice(path), () => openChecked(dataPath, 'state'))
  return {
    db: drizzle(sqlite, { schema, casing: 'snake_case' }),
    sqlite,
    close: () => sqlite.close(),
  }
}
