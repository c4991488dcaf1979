import type { CachedDetection, DetectedGame, DetectedService } from '../../../api/cache-queries.ts'
import { isOfSize } from '../../../components/shelf/items.ts'
import type { CacheGamesSearch } from '../search.ts'
import { serviceName, titleOf } from '../../../format/services.ts'
import { t } from '../../../locales/translate.ts'

/** A game in the cache, or a service's content that belongs to no known game. */
export interface Entry {
  /** The server's key: `alpha:570`, `beta:<id>`, `named:<service>:<name>`, `service:<name>`. */
  key: string
  kind: 'alpha' | 'beta' | 'named' | 'service'
  name: string
  /** A depot in no catalogue; null for named entries. */
  unnamedDepot: number | null
  service: string
  /** Alpha's app id, or beta's id. */
  id: string | null
  files: number
  bytes: number
  lastStoredAt: string | null
  depotIds: number[]
  sampleUrls: string[]
  datasources: string[]
  isEvicted: boolean
  evictedDownloads: number
  evictedBytes: number
  evictedUrls: string[]
}

type Row = DetectedGame | DetectedService

const shared = (row: Row) => ({
  files: row.cache_files_found,
  bytes: row.total_size_bytes,
  lastStoredAt: row.last_stored_at,
  sampleUrls: row.sample_urls,
  datasources: row.datasources,
  isEvicted: row.is_evicted,
  evictedDownloads: row.evicted_downloads_count,
  evictedBytes: row.evicted_bytes,
  evictedUrls: row.evicted_sample_urls,
})

/** The server's placeholder name for an unnamed depot. */
const unnamed = /^Unknown Game \(Depot (\d+)\)$/

export function shownGame(name: string): string {
  const depot = unnamed.exec(name)?.[1]
  return depot === undefined ? name : t('game.depot', { id: depot })
}

function identityOf(game: DetectedGame): Pick<Entry, 'key' | 'kind' | 'id' | 'service'> {
  const service = game.service ?? ''
  if (game.beta_app_id !== null) {
    return { key: `beta:${game.beta_app_id}`, kind: 'beta', id: game.beta_app_id, service }
  }
  if (game.game_app_id > 0) {
    const id = String(game.game_app_id)
    return { key: `alpha:${id}`, kind: 'alpha', id, service }
  }
  return { key: `named:${service}:${game.game_name}`, kind: 'named', id: null, service }
}

function gameEntry(game: DetectedGame): Entry {
  const depot = unnamed.exec(game.game_name)?.[1]
  return {
    ...identityOf(game),
    ...shared(game),
    name: game.game_name,
    unnamedDepot: depot === undefined ? null : Number(depot),
    depotIds: game.depot_ids,
  }
}

/** A whole service including its games, as a removal target. */
export const wholeService = (service: string): Entry => ({
  key: `service:${service}`,
  kind: 'service',
  id: null,
  service,
  name: service,
  unnamedDepot: null,
  files: 0,
  bytes: 0,
  lastStoredAt: null,
  depotIds: [],
  sampleUrls: [],
  datasources: [],
  isEvicted: false,
  evictedDownloads: 0,
  evictedBytes: 0,
  evictedUrls: [],
})

const serviceEntry = (row: DetectedService): Entry => ({
  ...wholeService(row.service_name),
  ...shared(row),
})

export const entriesOf = ({ games, services }: CachedDetection): Entry[] => [
  ...games.map(gameEntry),
  ...services.map(serviceEntry),
]

/** An entry's display name. */
export function titleOfEntry(entry: Pick<Entry, 'kind' | 'name' | 'unnamedDepot'>): string {
  if (entry.kind === 'service') return serviceName(entry.name)
  if (entry.unnamedDepot === null) return titleOf(entry.name)
  return t('game.depot', { id: entry.unnamedDepot })
}

type Order = (a: Entry, b: Entry) => number

const by =
  (value: (entry: Entry) => number): Order =>
  (a, b) =>
    value(b) - value(a)
const storedAt = ({ lastStoredAt }: Entry) => (lastStoredAt === null ? 0 : Date.parse(lastStoredAt))
const reversed =
  (order: Order): Order =>
  (a, b) =>
    order(b, a)

const bytes = by((entry) => entry.bytes)
const files = by((entry) => entry.files)
const latest = by(storedAt)
const evicted = by((entry) => entry.evictedDownloads)

type Sort = NonNullable<CacheGamesSearch['sort']>

const orders: Record<Exclude<Sort, 'name' | 'name-last'>, Order> = {
  largest: bytes,
  smallest: reversed(bytes),
  files,
  'files-least': reversed(files),
  latest,
  oldest: reversed(latest),
  evicted,
  'evicted-least': reversed(evicted),
}

const byName: Order = (a, b) =>
  titleOfEntry(a).localeCompare(titleOfEntry(b), undefined, { numeric: true })

function orderOf(sort: Sort): Order {
  if (sort === 'name') return byName
  if (sort === 'name-last') return reversed(byName)
  const order = orders[sort]
  return (a, b) => order(a, b) || byName(a, b)
}

const isShown: Record<NonNullable<CacheGamesSearch['show']>, (entry: Entry) => boolean> = {
  games: ({ kind, files: count }) => kind !== 'service' && count > 0,
  services: ({ kind, files: count }) => kind === 'service' && count > 0,
  evicted: ({ evictedDownloads }) => evictedDownloads > 0,
}

/** The searchable texts of an entry. */
const words = (entry: Entry) =>
  [
    entry.name,
    titleOfEntry(entry),
    entry.service,
    serviceName(entry.service),
    entry.id ?? '',
    ...entry.depotIds,
  ]
    .join(' ')
    .toLowerCase()

/** The entries that the URL selects, in its order; ties by name. */
export function shownEntries(entries: readonly Entry[], search: CacheGamesSearch): Entry[] {
  const wanted = search.search?.trim().toLowerCase() ?? ''
  const { service, source, show, size } = search
  return entries
    .filter(
      (entry) =>
        (service === undefined || entry.service === service) &&
        (source === undefined || entry.datasources.includes(source)) &&
        (show === undefined || isShown[show](entry)) &&
        isOfSize(entry.bytes, size) &&
        (wanted === '' || words(entry).includes(wanted)),
    )
    .sort(orderOf(search.sort ?? 'largest'))
}

/** The game's report page; null without one. */
export function reportOf(entry: Entry): { service: string; id: string } | null {
  const { kind, service, id, name, unnamedDepot } = entry
  if (kind === 'service' || unnamedDepot !== null) return null
  if (kind === 'alpha') return { service, id: `app-${id}` }
  return { service, id: kind === 'beta' ? `beta-${id}` : `name-${name.toLowerCase()}` }
}

export const sumOf = (entries: readonly Entry[]) => ({
  bytes: entries.reduce((sum, entry) => sum + entry.bytes, 0),
  files: entries.reduce((sum, entry) => sum + entry.files, 0),
})
