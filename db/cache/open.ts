import type { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { migrateSqlite } from '../migrate-sqlite.ts'
import { openSqlite } from '../sqlite.ts'

const pathIn = (dataPath: string): string => join(dataPath, 'cache.sqlite')

/** `cache.sqlite`: the index of the files in the cache. Written by the cache engine only. */
export function openCache(dataPath: string): Database {
  const path = pathIn(dataPath)
  return migrateSqlite({
    open: () => openSqlite(path),
    path,
    migrations: join(import.meta.dir, 'migrations'),
  })
}

/** For short questions of other threads. The file has to exist: the engine makes it at its start. */
export const openCacheReader = (dataPath: string): Database =>
  openSqlite(pathIn(dataPath), { readonly: true })
