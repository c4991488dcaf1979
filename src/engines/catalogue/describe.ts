import type { Database } from 'bun:sqlite'
import { openReader } from '../../../db/stores.ts'
import { describeTitle, type TitleDescription } from '../titles/titles.ts'
import { openMappedNames } from './mapped-names.ts'
import { CatalogueStore } from './store.ts'

/** How often a catalogue that does not exist yet is looked for. */
const lookMs = 10_000

export type DescribeTitle = (titleKey: string, service: string) => TitleDescription

/** A store that another thread creates and writes; opened for reading once it exists. */
class Late<Store> {
  readonly #open: () => Store | null
  #store: Store | null = null
  #lookedMs = -Infinity

  constructor(open: () => Store | null) {
    this.#open = open
  }

  get(): Store | null {
    if (this.#store !== null) return this.#store
    if (performance.now() - this.#lookedMs < lookMs) return null
    this.#lookedMs = performance.now()
    this.#store = this.#open()
    return this.#store
  }

  /** It cannot be read: it is being created, or is damaged. Its writer deals with that. */
  drop(close: (store: Store) => void): void {
    if (this.#store !== null) close(this.#store)
    this.#store = null
  }
}

function openCatalogue(dataPath: string): { database: Database; store: CatalogueStore } | null {
  const database = openReader(dataPath, 'catalog')
  return database === null ? null : { database, store: new CatalogueStore(database) }
}

/**
 * Describes titles by their name given by hand, unless that is left out, by the catalogue, or by
 * their keys alone. For threads that only read: each call is a few short queries. Never throws.
 */
export function createDescriber(dataPath: string, { isByHand = true } = {}): DescribeTitle {
  const catalogue = new Late(() => openCatalogue(dataPath))
  const mapped = new Late(() => openMappedNames(dataPath))

  function catalogued(known: TitleDescription, titleKey: string): TitleDescription {
    if (known.depotId === null) return mapped.get()?.of(known, titleKey) ?? known
    const found = catalogue.get()?.store.nameOf(known.depotId) ?? null
    return found === null ? known : { ...known, gameAppId: found.appId, gameName: found.name }
  }

  return (titleKey, service) => {
    const known = describeTitle(titleKey, service)
    try {
      const found = catalogued(known, titleKey)
      const gameName = isByHand ? (mapped.get()?.byHand(titleKey) ?? null) : null
      return gameName === null ? found : { ...found, gameName }
    } catch {
      catalogue.drop(({ database }) => database.close())
      mapped.drop((names) => names.close())
      return known
    }
  }
}
