import type { Database } from 'bun:sqlite'
import { openReader } from '../../../db/stores.ts'
import { CatalogueStore } from '../../engines/catalogue/store.ts'
import { knownOwners, type OwnersOf } from './depot-owners.ts'

/**
 * Apps that share depots, by the catalogue on disk; each call is one short query. The defaults hold
 * for the redistributables, and for everything while there is no readable catalogue.
 */
export function catalogueOwners(dataPath: string): OwnersOf {
  let reader: Database | null = null
  return (depotId) => {
    const known = knownOwners(depotId)
    if (known !== null) return known
    try {
      reader ??= openReader(dataPath, 'catalog')
      const users = reader === null ? [] : new CatalogueStore(reader).users(depotId)
      const appIds = users.map(({ appId }) => appId)
      return appIds.length > 1 ? { kind: 'apps', appIds } : null
    } catch {
      // Being replaced by the catalogue engine, because it was damaged.
      reader?.close()
      reader = null
      return null
    }
  }
}
