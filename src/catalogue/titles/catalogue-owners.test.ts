import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openCatalog } from '../../../db/catalog/open.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { CatalogueStore } from '../../engines/catalogue/store.ts'
import { catalogueOwners } from './catalogue-owners.ts'

test('a depot that several apps use is shared, by the catalogue', () => {
  const dataPath = tempFolder('owners')
  const ownersOf = catalogueOwners(dataPath)
  expect(ownersOf(501)).toBeNull()
  const database = openCatalog(dataPath)
  const store = new CatalogueStore(database)
  const depots = [{ depotId: 501, ownerId: 500, name: null }]
  const shared = { name: null, dlcIds: [], parentId: null }
  store.addApps(
    [
      { ...shared, appId: 500, depots },
      { ...shared, appId: 510, depots },
      { ...shared, appId: 480, depots: [{ depotId: 481, ownerId: 480, name: null }] },
    ],
    { source: 'test', since: 1 },
  )
  expect(ownersOf(501)).toEqual({ kind: 'apps', appIds: [500, 510] })
  expect(ownersOf(481)).toBeNull()
  expect(ownersOf(228_981)).toMatchObject({ kind: 'every' })
  database.close()
})

test('a damaged catalogue is replaced by an empty one', () => {
  const dataPath = tempFolder('owners')
  writeFileSync(join(dataPath, 'catalog.sqlite'), 'no database '.repeat(1000))
  const ownersOf = catalogueOwners(dataPath)
  expect(ownersOf(501)).toBeNull()
  const database = openCatalog(dataPath)
  expect(new CatalogueStore(database).mappings()).toBe(0)
  expect(ownersOf(501)).toBeNull()
  database.close()
})
