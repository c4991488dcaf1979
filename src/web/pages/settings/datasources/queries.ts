import { useQuery } from '@tanstack/react-query'
import { api, unwrap } from '../../../api/eden.ts'
import { keys } from '../../../api/keys.ts'
import { useIsAccount } from '../../../api/queries.ts'

/** Whether rsync is installed where the service runs. */
export const useRsync = () =>
  useQuery({
    queryKey: [...keys.cache, 'rsync'],
    queryFn: ({ signal }) => unwrap(api.system.rsync.available.get({ fetch: { signal } })),
    enabled: useIsAccount(),
  })
