import { compact, oneOf, textOf, unlessDefault, type RawSearch } from '../../app/search-parts.ts'

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

export const standardCacheSort: CacheSort = 'largest'
const textMax = 300

/** State of the list of games in the address; default values are left out. */
export const cacheGamesSearch = (search: RawSearch) =>
  compact({
    sort: unlessDefault(oneOf(cacheSorts, search['sort']), standardCacheSort),
    search: textOf(search['search'], textMax),
    service: textOf(search['service'], textMax),
    source: textOf(search['source'], textMax),
    // Only games, only services, only entries with evicted downloads.
    show: oneOf(['games', 'services', 'evicted'], search['show']),
    // Key of the entry whose panel is open.
    open: textOf(search['open'], textMax),
  })
export type CacheGamesSearch = ReturnType<typeof cacheGamesSearch>

export const growthSpans = [7, 30, 90] as const
export type GrowthSpan = (typeof growthSpans)[number]

/** Days that the chart of growth shows; the default of 30 is left out. */
export function cacheSearch(search: RawSearch) {
  const days = oneOf(growthSpans, Number(search['days']))
  return compact({ days: unlessDefault<GrowthSpan>(days, 30) })
}
