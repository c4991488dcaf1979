import { useQuery } from '@tanstack/react-query'
import type { CacheForecast } from '../../../api/downloads/snapshots/model.ts'
import { api, unwrap } from '../../api/eden.ts'
import { keys } from '../../api/keys.ts'

/** Measured once an hour, so there is no hurry. */
const everyMs = 10 * 60_000

/** How fast the cache grows, by measured sizes; none while the history is away. */
export const useForecast = () =>
  useQuery({
    queryKey: keys.forecast,
    queryFn: ({ signal }): Promise<CacheForecast> =>
      unwrap(api.ext.cache.forecast.get({ fetch: { signal } })),
    staleTime: everyMs,
    refetchInterval: everyMs,
    retry: false,
  })
