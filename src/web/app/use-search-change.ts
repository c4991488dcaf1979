import { useNavigate } from '@tanstack/react-router'
import { useCallback } from 'react'
import { withRange } from './range.ts'

/** Changes a part of the page's address; anything other than paging returns to the first page. */
export function useSearchChange<Search extends object>(
  parse: (search: Record<string, unknown>) => Search,
  search: Search,
) {
  const navigate = useNavigate()
  return useCallback(
    (part: Partial<Search>) => {
      const next = parse({ ...search, page: undefined, ...part })
      void navigate({ to: '.', search: withRange(next), resetScroll: false })
    },
    [navigate, parse, search],
  )
}
