import { api } from '../../../api/eden.ts'
import { keys } from '../../../api/keys.ts'
import { useAccountRead } from '../../../api/queries.ts'

/** The current or last search for names of Steam games. */
export const useDepotProgress = () =>
  useAccountRead([...keys.depots, 'progress'], api.depots.rebuild.progress.get)

/** The mappings of Steam's depots, and the list on disk. */
export const useDepotStatus = () =>
  useAccountRead([...keys.depots, 'status'], api.depots.status.get)
