import { openOf, type OpenSearch } from '../open-search.ts'

/** The state of the list as it stands in the address; standard values are left out. */
export interface SessionsSearch extends OpenSearch {
  view?: 'ended' | undefined
  type?: 'admin' | 'user' | 'guest' | undefined
  search?: string | undefined
  page?: number | undefined
}

const textMax = 100
const types = ['admin', 'user', 'guest'] as const

export function sessionsSearch(search: Record<string, unknown>): SessionsSearch {
  const found: SessionsSearch = openOf(search)
  if (search['view'] === 'ended') found.view = 'ended'
  const type = types.find((known) => known === search['type'])
  if (type !== undefined) found.type = type
  const text = typeof search['search'] === 'string' ? search['search'].slice(0, textMax) : ''
  if (text.trim() !== '') found.search = text
  const page = Number(search['page'])
  if (Number.isInteger(page) && page > 1 && page < 1000) found.page = page
  return found
}
