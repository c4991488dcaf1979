import type { Database } from 'bun:sqlite'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { migrateSqlite } from '../migrate-sqlite.ts'
import { openSqlite } from '../sqlite.ts'

const pathIn = (dataPath: string): string => join(dataPath, 'catalog.sqlite')

/** `catalog.sqlite`: names of games by platform. Written only by the catalogue engine. */
export function openCatalog(dataPath: string): Database {
  const path = pathIn(dataPath)
  return migrateSqlite({
    open: () => openSqlite(path),
    path,
    migrations: join(import.meta.dir, 'migrations'),
  })
}

/** For short queries of other threads; null until the catalogue engine has created the file. */
export const openCatalogReader = (dataPath: string): Database | null =>
  existsSync(pathIn(dataPath)) ? openSqlite(pathIn(dataPath), { readonly: true }) : null
