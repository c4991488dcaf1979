import { useLocation } from '@tanstack/react-router'
import { useState } from 'react'
import { rangeSearch, type RangeSearch } from './range.ts'

/** Pages that are about a range; the others only carry it on. */
const ranged = /^\/(downloads|games|clients|services)?(\/|$)/

/**
 * Range and event filter for the links of the navigation. It stays while one looks at a page that has
 * none, such as the settings.
 */
export function useKeptScope(): RangeSearch {
  const { pathname, search } = useLocation()
  const [kept, setKept] = useState<RangeSearch>({})
  const now = ranged.test(pathname) ? rangeSearch({ ...search }) : kept
  if (JSON.stringify(now) !== JSON.stringify(kept)) setKept(now)
  return now
}
