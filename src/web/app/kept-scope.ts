import { useLocation } from '@tanstack/react-router'
import { useState } from 'react'
import { rangeSearch, type RangeSearch } from './range.ts'

/** Pages with a range; the others only keep it in their links. */
const ranged = /^\/(downloads|games|clients|services)?(\/|$)/

/**
 * Range and event filter for navigation links, kept on pages without their own range, such as the
 * settings.
 */
export function useKeptScope(): RangeSearch {
  const { pathname, search } = useLocation()
  const [kept, setKept] = useState<RangeSearch>({})
  const now = ranged.test(pathname) ? rangeSearch({ ...search }) : kept
  if (JSON.stringify(now) !== JSON.stringify(kept)) setKept(now)
  return now
}
