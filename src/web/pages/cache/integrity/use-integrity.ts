import { getRouteApi, useNavigate } from '@tanstack/react-router'
import type { IntegritySearch } from './search.ts'

const route = getRouteApi('/cache/integrity')

/** The page's state in the URL. */
export function useIntegrity() {
  const search = route.useSearch()
  const navigate = useNavigate()
  const go = (next: IntegritySearch, resetScroll = true) =>
    void navigate({ to: '/cache/integrity', search: next, resetScroll })
  // An object replaces what was shown; the results of a scan stay where they are.
  const change = (part: IntegritySearch) => go({ ...search, ...part }, search.view === 'object')
  return { search, go, change }
}
