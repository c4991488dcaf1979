import type { Database } from 'bun:sqlite'
import { rmSync } from 'node:fs'
import { DamagedStore, filesOf, orDamaged } from '../damage.ts'
import { openChecked, storePath } from '../stores.ts'

/**
 * `catalog.sqlite`: names of games by platform. Written only by the catalogue engine. A damaged file
 * is deleted: everything in it can be read again.
 */
export function openCatalog(dataPath: string): Database {
  const path = storePath(dataPath, 'catalog')
  try {
    return orDamaged(path, '', () => openChecked(dataPath, 'catalog'))
  } catch (error) {
    if (!(error instanceof DamagedStore)) throw error
  }
  for (const file of filesOf(path)) rmSync(file, { force: true })
  return openChecked(dataPath, 'catalog')
}
