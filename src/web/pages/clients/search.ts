import { rangeSearch, type RangeSearch } from '../../app/range.ts'

/** Orders of the list; the second of a pair turns the first around. */
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

/** The state of the list as it stands in the address; standard values are left out. */
export interface ClientsSearch extends RangeSearch {
  sort?: ClientSort | undefined
  search?: string | undefined
  show?: 'groups' | 'left-out' | undefined
}

export const standardSort: ClientSort = 'largest'
const textMax = 100

export function clientsSearch(search: Record<string, unknown>): ClientsSearch {
  const found: ClientsSearch = rangeSearch(search)
  const sort = clientSorts.find((known) => known === search['sort'])
  if (sort !== undefined && sort !== standardSort) found.sort = sort
  const text = typeof search['search'] === 'string' ? search['search'].slice(0, textMax) : ''
  if (text.trim() !== '') found.search = text
  const { show } = search
  if (show === 'groups' || show === 'left-out') found.show = show
  return found
}
