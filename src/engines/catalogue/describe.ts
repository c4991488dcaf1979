import type { Database } from 'bun:sqlite'
import { openCatalogReader } from '../../../db/catalog/open.ts'
import { describeTitle, type TitleDescription } from '../titles/titles.ts'
import { CatalogueStore } from './store.ts'

/** How often a catalogue that does not exist yet is looked for. */
const lookMs = 10_000

export type DescribeTitle = (titleKey: string, service: string) => TitleDescription

/**
 * Describes titles by the catalogue, or by their keys alone where it knows nothing. For threads that
 * only read: each call is one short query. Never throws.
 */
export function createDescriber(dataPath: string): DescribeTitle {
  let reader: { database: Database; store: CatalogueStore } | null = null
  let lookedMs = -Infinity

  function store(): CatalogueStore | null {
    if (reader !== null) return reader.store
    if (performance.now() - lookedMs < lookMs) return null
    lookedMs = performance.now()
    const database = openCatalogReader(dataPath)
    if (database !== null) reader = { database, store: new CatalogueStore(database) }
    return reader?.store ?? null
  }

  return (titleKey, service) => {
    const known = describeTitle(titleKey, service)
    if (known.platform !== 'alpha' || known.depotId === null) return known
    try {
      const found = store()?.nameOf(known.depotId) ?? null
      if (found === null) return known
      return { ...known, gameAppId: found.appId, gameName: found.name }
    } catch {
      // Being created, or damaged: the catalogue engine deals with that.
      reader?.database.close()
      reader = null
      return known
    }
  }
}
