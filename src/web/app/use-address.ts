import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import { readRange, withRange, type Range } from './range.ts'
import { gamesSearch } from './search-state.ts'

/** The time range of the page. */
export const useRange = (): Range => readRange(useSearch({ strict: false }))

/** The filters of the downloads list in the page's address, and what changes them. */
export function useDownloadsSearch() {
  const navigate = useNavigate()
  const address = useSearch({ strict: false })
  const search = useMemo(() => gamesSearch(address), [address])
  const change = useCallback(
    (part: Partial<typeof search>) => {
      // Anything other than paging returns to the first page.
      const next = gamesSearch({ ...search, page: undefined, ...part })
      void navigate({ to: '.', search: withRange(next), resetScroll: false })
    },
    [navigate, search],
  )
  return { search, change }
}

/** The panel that is open, and what opens another one, or none. */
export function useOpen() {
  const navigate = useNavigate()
  const { open } = useSearch({ strict: false })
  const show = (id: string | undefined) =>
    void navigate({ to: '.', search: { open: id }, resetScroll: false })
  return { open, show }
}
