import type { DownloadsQuery } from '../api/queries.ts'
import { rangeSearch, type RangeSearch } from './range.ts'
import { compact, oneOf, pageOf, trimmedOf, unlessDefault, type RawSearch } from './search-parts.ts'

/** Orders supported by the list endpoint. */
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

export const pageSizes = [25, 50, 100, 200] as const
export const standardPageSize = 50

const textMax = 200

/** Sessions of one row in an address. */
export const sessionsMax = 200

/** Filters of the downloads list in the URL; invalid and default values are left out. */
export function downloadsSearch(search: RawSearch) {
  const range: RangeSearch = rangeSearch(search)
  return compact({
    ...range,
    page: pageOf(search['page'], 1_000_000),
    size: unlessDefault(oneOf<number>(pageSizes, Number(search['size'])), standardPageSize),
    sort: unlessDefault(oneOf(sorts, search['sort']), 'latest'),
    service: trimmedOf(search['service'], textMax),
    client: trimmedOf(search['client'], textMax),
    search: trimmedOf(search['search'], textMax),
    hits: oneOf(['hit', 'miss'], search['hits']),
    group: oneOf(['game', 'service'], search['group']),
    // Hide rows that are unnamed, from this machine, or without bytes.
    unknown: oneOf(['hide'], search['unknown']),
    local: oneOf(['hide'], search['local']),
    empty: oneOf(['hide'], search['empty']),
    // Shows prefill downloads, which no figure counts.
    prefill: oneOf(['show'], search['prefill']),
  })
}
export type DownloadsSearch = ReturnType<typeof downloadsSearch>

/** The games, as a list or as artwork. */
export const gamesSearch = (search: RawSearch) => ({
  ...downloadsSearch(search),
  ...compact({ view: oneOf(['cards'], search['view']) }),
})

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
  // Merged rows are sums.
  includeExcluded: search.group !== undefined && search.client === undefined ? false : undefined,
})

/** URLs contain plain text: `?client=10.0.0.9&page=2`, no quotes, no JSON. */
export const parseAddress = (search: string): Record<string, string> =>
  Object.fromEntries(new URLSearchParams(search))

export function writeAddress(search: Record<string, unknown>): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(search)) {
    if (typeof value === 'string' || typeof value === 'number') params.set(name, String(value))
  }
  // Keeps lists readable; a comma needs no escape in a query.
  const address = params.toString().replaceAll('%2C', ',')
  return address === '' ? '' : `?${address}`
}
