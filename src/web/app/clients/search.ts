import { rangeSearch, type RangeSearch } from '../range.ts'
import { compact, oneOf, textOf, unlessDefault, type RawSearch } from '../search-parts.ts'

/** Orders of the list; the second of each pair is the reverse. */
export const clientSorts = [
  'name',
  'name-last',
  'largest',
  'smallest',
  'sessions',
  'sessions-least',
  'hit',
  'hit-least',
  'miss',
  'miss-least',
  'efficiency',
  'efficiency-low',
  'latest',
  'oldest',
] as const
export type ClientSort = (typeof clientSorts)[number]

export const standardSort: ClientSort = 'largest'

/** State of the list in the URL; default values are left out. */
export function clientsSearch(search: RawSearch) {
  const range: RangeSearch = rangeSearch(search)
  return compact({
    ...range,
    sort: unlessDefault(oneOf(clientSorts, search['sort']), standardSort),
    search: textOf(search['search'], 100),
    show: oneOf(['groups', 'left-out'], search['show']),
  })
}
export type ClientsSearch = ReturnType<typeof clientsSearch>
