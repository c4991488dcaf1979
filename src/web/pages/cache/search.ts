import { compact, oneOf, textOf, unlessDefault, type RawSearch } from '../../app/search-parts.ts'

/** Orders of the list; the second of each pair is the reverse. */
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

/** State of the games list in the URL; default values are left out. */
export const cacheGamesSearch = (search: RawSearch) =>
  compact({
    sort: unlessDefault(oneOf(cacheSorts, search['sort']), standardCacheSort),
    search: textOf(search['search'], textMax),
    service: textOf(search['service'], textMax),
    source: textOf(search['source'], textMax),
    // Only games, only services, only entries with evicted downloads.
    show: oneOf(['games', 'services', 'evicted'], search['show']),
    // Key of the entry with the open panel.
    open: textOf(search['open'], textMax),
  })
export type CacheGamesSearch = ReturnType<typeof cacheGamesSearch>

export const growthSpans = [7, 30, 90] as const
export type GrowthSpan = (typeof growthSpans)[number]

/** Days of the growth chart; the default of 30 is left out. */
export function cacheSearch(search: RawSearch) {
  const days = oneOf(growthSpans, Number(search['days']))
  return compact({ days: unlessDefault<GrowthSpan>(days, 30) })
}
