import {
  compact,
  oneOf,
  textOf,
  unlessDefault,
  type RawSearch,
  matching,
} from '../../app/search-parts.ts'
import { growthSpans, type GrowthSpan } from '../../components/growth/growth-spans.ts'
import { sizeBandOf } from '../../components/shelf/items.ts'

/** Orders of the list; the second of each pair is the reverse. */
const cacheSorts = [
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
    size: sizeBandOf(search['size']),
    // Covers without it.
    view: oneOf(['list'], search['view']),
    // Key of the entry with the open panel.
    open: textOf(search['open'], textMax),
  })
export type CacheGamesSearch = ReturnType<typeof cacheGamesSearch>

/** Days of the growth chart; the default of 30 is left out. */
export function cacheSearch(search: RawSearch) {
  const days = oneOf(growthSpans, Number(search['days']))
  return compact({ days: unlessDefault<GrowthSpan>(days, 30) })
}

/** The title that is named first, by its key. */
export const unnamedSearch = (search: RawSearch) =>
  compact({ title: matching(search['title'], /^[\w-]{1,20}:[^\s]{1,200}$/) })
