import { api } from '../../../api/eden.ts'
import { useAccountRead } from '../../../api/queries.ts'
import { keys } from '../../../api/keys.ts'

/** Whether rsync is installed on the service's machine. */
export const useRsync = () =>
  useAccountRead([...keys.cache, 'rsync'], api.system.rsync.available.get)
