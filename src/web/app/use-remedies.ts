import { api, keys } from '../api/client.ts'
import { useAccountRead } from '../api/queries.ts'
import { remedy, type Key, type Values } from '../locales/translate.ts'

/** Translates texts with remedies as they fit how Larder runs. */
export function useRemedies(): (key: Key, values?: Values) => string {
  const { data } = useAccountRead(keys.service, api.ext.status.get, { staleTime: Infinity })
  return (key, values) => remedy(key, data?.isInContainer ?? true, values)
}
