import { compact, oneOf, pageOf, textOf, type RawSearch } from '../../../app/search-parts.ts'
import { openOf, type OpenSearch } from '../open-search.ts'

/** State of the list in the URL; default values are left out. */
export function sessionsSearch(search: RawSearch) {
  const open: OpenSearch = openOf(search)
  return compact({
    ...open,
    view: oneOf(['ended'], search['view']),
    type: oneOf(['admin', 'user', 'guest'], search['type']),
    search: textOf(search['search'], 100),
    page: pageOf(search['page'], 1000),
  })
}
export type SessionsSearch = ReturnType<typeof sessionsSearch>
