/** Orders of the list; the second of a pair turns the first around. */
export const cacheSorts = [
  'largest',
  'smallest',
  'name',
  'name-last',
  'files',
  'files-least',
  'latest',
  'oldest',
  'evicted',
  'evicted-least',
] as const
export type CacheSort = (typeof cacheSorts)[number]

/** The list of what lies in the cache as it stands in the address; standard values are left out. */
export interface CacheGamesSearch {
  sort?: CacheSort | undefined
  search?: string | undefined
  service?: string | undefined
  source?: string | undefined
  /** Only games, only services, only what has evicted downloads. */
  show?: 'games' | 'services' | 'evicted' | undefined
  /** Key of the entry whose panel is open. */
  open?: string | undefined
}

export const standardCacheSort: CacheSort = 'largest'
const textMax = 300
const shows = ['games', 'services', 'evicted'] as const

const textOf = (value: unknown): string | undefined => {
  const text = typeof value === 'string' ? value.slice(0, textMax) : ''
  return text.trim() === '' ? undefined : text
}

export function cacheGamesSearch(search: Record<string, unknown>): CacheGamesSearch {
  const sort = cacheSorts.find((known) => known === search['sort'])
  const found: CacheGamesSearch = {
    sort: sort === standardCacheSort ? undefined : sort,
    search: textOf(search['search']),
    service: textOf(search['service']),
    source: textOf(search['source']),
    show: shows.find((known) => known === search['show']),
    open: textOf(search['open']),
  }
  const kept = Object.entries(found).filter(([, value]) => value !== undefined)
  return Object.fromEntries(kept) // the same members, only the empty ones are gone
}

export const growthSpans = [7, 30, 90] as const
export type GrowthSpan = (typeof growthSpans)[number]

/** Days that the chart of growth shows; 30 stand in no address. */
export interface CacheSearch {
  days?: GrowthSpan | undefined
}

export function cacheSearch(search: Record<string, unknown>): CacheSearch {
  const days = growthSpans.find((known) => known === Number(search['days']))
  return days === undefined || days === 30 ? {} : { days }
}
