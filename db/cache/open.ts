import type { Database } from 'bun:sqlite'
import { existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DamagedStore, filesOf, orDamaged, quickCheck } from '../damage.ts'
import { migrateSqlite } from '../migrate-sqlite.ts'
import { openSqlite } from '../sqlite.ts'
import { programFolder } from '../../src/core/lib/program-files.ts'

const pathIn = (dataPath: string): string => join(dataPath, 'cache.sqlite')

/** `cache.sqlite`: the index of the cache files. Written only by the cache engine. */
export function openCache(dataPath: string): Database {
  const path = pathIn(dataPath)
  return migrateSqlite({
    open: () => openSqlite(path),
    path,
    migrations: join(programFolder, 'db/cache/migrations'),
  })
}

/** Throws DamagedStore and leaves nothing open. */
function openChecked(dataPath: string): Database {
  const path = pathIn(dataPath)
  return orDamaged(path, '', () => {
    const database = openCache(dataPath)
    try {
      quickCheck(database)
      return database
    } catch (error) {
      database.close()
      throw error
    }
  })
}

/**
 * The index, or an empty one in place of a damaged one: every row can be read from the cache again.
 * Keeps the latest damaged file beside it.
 */
export function openSoundCache(dataPath: string): {
  database: Database
  damagedCopy: string | null
} {
  try {
    return { database: openChecked(dataPath), damagedCopy: null }
  } catch (error) {
    if (!(error instanceof DamagedStore)) throw error
  }
  const path = pathIn(dataPath)
  const damagedCopy = `${path}.damaged`
  const copies = filesOf(damagedCopy)
  for (const [index, file] of filesOf(path).entries()) {
    const copy = copies[index] ?? damagedCopy
    rmSync(copy, { force: true })
    if (existsSync(file)) renameSync(file, copy)
  }
  return { database: openCache(dataPath), damagedCopy }
}

/** For short queries of other threads. The file must exist: the engine creates it on start. */
export const openCacheReader = (dataPath: string): Database =>
  openSqlite(pathIn(dataPath), { readonly: true })
