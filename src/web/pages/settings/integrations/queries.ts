import { api } from '../../../api/eden.ts'
import { keys } from '../../../api/keys.ts'
import { useAccountRead } from '../../../api/queries.ts'

/** The current or last search for names of Steam games. */
export const useDepotProgress = () =>
  useAccountRead([...keys.depots, 'progress'], api.depots.rebuild.progress.get)

/** The mappings of Steam's depots, and the list on disk. */
export const useDepotStatus = () =>
  useAccountRead([...keys.depots, 'status'], api.depots.status.get)

/** The Epic account: state, figures, and when the next refresh begins. */
export const useBetaAccount = () =>
  useAccountRead([...keys.betaMappings, 'account'], api.beta['game-mappings']['auth-status'].get)
export const useBetaSchedule = () =>
  useAccountRead([...keys.betaMappings, 'schedule'], api.beta['game-mappings'].schedule.get)

/** The Microsoft account: state and figures. */
export const useEpsilonAccount = () =>
  useAccountRead(
    [...keys.epsilonMappings, 'account'],
    api.epsilon['game-mappings']['auth-status'].get,
  )
