import { api, keys, pollWhileAway } from '../../../api/client.ts'
import { useAccountRead, useRead } from '../../../api/queries.ts'

/** They change with every request, but slowly. */
const everyMs = 5 * 60_000
const slowly = {
  staleTime: everyMs,
  refetchInterval: pollWhileAway(everyMs),
  retry: false,
} as const

export const useSizeCurves = () =>
  useRead([...keys.cache, 'sizes'], api.ext.cache.sizes.get, slowly)

export const useEvictionOrder = () =>
  useAccountRead([...keys.cache, 'evictionOrder'], api.ext.cache.eviction.next.get, slowly)
