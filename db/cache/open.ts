import type { Database } from 'bun:sqlite'
import { existsSync, renameSync, rmSync } from 'node:fs'
import { DamagedStore, filesOf, orDamaged } from '../damage.ts'
import { openChecked, openStore, storePath } from '../stores.ts'

/** `cache.sqlite`: the index of the cache files. Written only by the cache engine. */
export const openCache = (dataPath: string): Database => openStore(dataPath, 'cache')

/**
 * The index, or an empty one in place of a damaged one: every row can be read from the cache again.
 * Keeps the latest damaged file beside it.
 */
export function openSoundCache(dataPath: string): {
  database: Database
  damagedCopy: string | null
} {
  const path = storePath(dataPath, 'cache')
  try {
    const database = orDamaged(path, '', () => openChecked(dataPath, 'cache'))
    return { database, damagedCopy: null }
  } catch (error) {
    if (!(error instanceof DamagedStore)) throw error
  }
  const damagedCopy = `${path}.damaged`
  const copies = filesOf(damagedCopy)
  for (const [index, file] of filesOf(path).entries()) {
    const copy = copies[index] ?? damagedCopy
    rmSync(copy, { force: true })
    if (existsSync(file)) renameSync(file, copy)
  }
  return { database: openCache(dataPath), damagedCopy }
}
