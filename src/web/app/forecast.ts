import { api, keys } from '../api/client.ts'
import { useRead } from '../api/queries.ts'

/** Measured once an hour. */
const everyMs = 10 * 60_000

/** Growth of the cache from measured sizes; none while the history is away. */
export const useForecast = () =>
  useRead(keys.forecast, api.ext.cache.forecast.get, {
    staleTime: everyMs,
    refetchInterval: everyMs,
    retry: false,
  })
