import { rangeSearch, type RangeSearch } from './range.ts'

/** Orders that the list endpoint knows. */
export const sorts = [
  'latest',
  'oldest',
  'largest',
  'smallest',
  'efficiency',
  'efficiency-low',
  'sessions',
  'alphabetical',
  'service',
] as const
export type Sort = (typeof sorts)[number]

export const pageSizes = [25, 50, 100, 200] as const
export const standardPageSize = 50

/** Filters of the downloads list as they stand in the address; standard values are left out. */
export interface DownloadsSearch extends RangeSearch {
  page?: number | undefined
  size?: number | undefined
  sort?: Sort | undefined
  service?: string | undefined
  client?: string | undefined
  search?: string | undefined
  hits?: 'hit' | 'miss' | undefined
  group?: 'game' | 'service' | undefined
  /** Rows without a name, from this machine itself, without bytes: left out. */
  unknown?: 'hide' | undefined
  local?: 'hide' | undefined
  empty?: 'hide' | undefined
  /** Downloads of the prefill, which no figure counts. */
  prefill?: 'show' | undefined
}

const textMax = 200

const text = (value: unknown): string | undefined => {
  const trimmed = typeof value === 'string' ? value.trim().slice(0, textMax) : ''
  return trimmed === '' ? undefined : trimmed
}

const oneOf = <T extends string>(known: readonly T[], value: unknown): T | undefined =>
  known.find((entry) => entry === value)

/** Drops the members without a value, so that addresses stay short and comparable. */
function compact<T extends object>(value: T): T {
  const kept = Object.entries(value).filter(([, member]) => member !== undefined)
  return Object.fromEntries(kept) as T // the same members, only the empty ones are gone
}

/** Reads the list's state; whatever makes no sense falls back to the standard. */
export function downloadsSearch(search: Record<string, unknown>): DownloadsSearch {
  const page = Number(search['page'])
  const sort = oneOf(sorts, search['sort'])
  const size = pageSizes.find((known) => known === Number(search['size']))
  return compact({
    ...rangeSearch(search),
    page: Number.isInteger(page) && page > 1 && page < 1_000_000 ? page : undefined,
    size: size === standardPageSize ? undefined : size,
    sort: sort === 'latest' ? undefined : sort,
    service: text(search['service']),
    client: text(search['client']),
    search: text(search['search']),
    hits: oneOf(['hit', 'miss'], search['hits']),
    group: oneOf(['game', 'service'], search['group']),
    unknown: oneOf(['hide'], search['unknown']),
    local: oneOf(['hide'], search['local']),
    empty: oneOf(['hide'], search['empty']),
    prefill: oneOf(['show'], search['prefill']),
  })
}

/** The games, as a list or as pictures. */
export interface GamesSearch extends DownloadsSearch {
  view?: 'cards' | undefined
}

export const gamesSearch = (search: Record<string, unknown>): GamesSearch => ({
  ...downloadsSearch(search),
  ...(search['view'] === 'cards' ? { view: 'cards' } : {}),
})

/** Parameters of the list endpoint; members without a value are left out of the address. */
export interface DownloadsQuery {
  Page?: number
  PageSize?: number
  Sort?: Sort
  Service?: string | undefined
  Client?: string | undefined
  Search?: string | undefined
  HitMiss?: 'hit' | 'miss' | undefined
  GroupByGame?: boolean | undefined
  GroupByService?: boolean | undefined
  Game?: string | undefined
  HideUnknown?: boolean | undefined
  HideLocalhost?: boolean | undefined
  ShowZeroBytes?: boolean | undefined
  includePrefill?: boolean | undefined
}

/** The same state as parameters of the list endpoint. */
export const downloadsQuery = (search: DownloadsSearch): DownloadsQuery => ({
  Page: search.page ?? 1,
  PageSize: search.size ?? standardPageSize,
  Sort: search.sort ?? 'latest',
  Service: search.service,
  Client: search.client,
  Search: search.search,
  HitMiss: search.hits,
  GroupByGame: search.group === 'game' ? true : undefined,
  GroupByService: search.group === 'service' ? true : undefined,
  HideUnknown: search.unknown === 'hide' ? true : undefined,
  HideLocalhost: search.local === 'hide' ? true : undefined,
  ShowZeroBytes: search.empty === 'hide' ? false : undefined,
  includePrefill: search.prefill === 'show' ? true : undefined,
})

/** Addresses carry plain text: `?client=10.0.0.9&page=2`, no quotes, no JSON. */
export const parseAddress = (search: string): Record<string, string> =>
  Object.fromEntries(new URLSearchParams(search))

export function writeAddress(search: Record<string, unknown>): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(search)) {
    if (typeof value === 'string' || typeof value === 'number') params.set(name, String(value))
  }
  // Lists stay readable; a comma needs no escape in a query.
  const address = params.toString().replaceAll('%2C', ',')
  return address === '' ? '' : `?${address}`
}
