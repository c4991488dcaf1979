import type { Database } from 'bun:sqlite'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { migrateSqlite } from '../migrate-sqlite.ts'
import { openSqlite } from '../sqlite.ts'

/** `hot.sqlite`: positions, open downloads, counters, outbox. Written by the log engine only. */
export function openHot(dataPath: string): Database {
  const path = join(dataPath, 'hot.sqlite')
  return migrateSqlite({
    open: () => openSqlite(path),
    path,
    migrations: join(import.meta.dir, 'migrations'),
  })
}

/** For questions of other threads; null before the log engine has made the file. */
export function openHotReader(dataPath: string): Database | null {
  const path = join(dataPath, 'hot.sqlite')
  return existsSync(path) ? openSqlite(path, { readonly: true }) : null
}
