import { api, keys } from '../api/client.ts'
import { useAccountRead } from '../api/queries.ts'

/** The volume grows slowly, and without an event. */
const everyMs = 5 * 60_000

/** The line's monthly volume, and what the cache has used of it; account holders only. */
export const useDataCap = () =>
  useAccountRead(keys.dataCap, api.ext['data-cap'].get, { refetchInterval: everyMs })
