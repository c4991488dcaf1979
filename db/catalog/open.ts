import type { Database } from 'bun:sqlite'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DamagedStore, filesOf, orDamaged, quickCheck } from '../damage.ts'
import { migrateSqlite } from '../migrate-sqlite.ts'
import { openSqlite } from '../sqlite.ts'
import { programFolder } from '../../src/core/lib/program-files.ts'

const pathIn = (dataPath: string): string => join(dataPath, 'catalog.sqlite')

function open(path: string): Database {
  const database = migrateSqlite({
    open: () => openSqlite(path),
    path,
    migrations: join(programFolder, 'db/catalog/migrations'),
  })
  try {
    quickCheck(database)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/**
 * `catalog.sqlite`: names of games by platform. Written only by the catalogue engine. A damaged file
 * is deleted: everything in it can be read again.
 */
export function openCatalog(dataPath: string): Database {
  const path = pathIn(dataPath)
  try {
    return orDamaged(path, '', () => open(path))
  } catch (error) {
    if (!(error instanceof DamagedStore)) throw error
  }
  for (const file of filesOf(path)) rmSync(file, { force: true })
  return open(path)
}

/** For short queries of other threads; null until the catalogue engine has created the file. */
export const openCatalogReader = (dataPath: string): Database | null =>
  existsSync(pathIn(dataPath)) ? openSqlite(pathIn(dataPath), { readonly: true }) : null
