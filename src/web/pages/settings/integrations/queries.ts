import { keepPreviousData } from '@tanstack/react-query'
import { api, keys } from '../../../api/client.ts'
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

/** Shorter texts are not searched for. */
const textMin = 2
/** Names shown without a search. */
const take = 20

/** Names of Epic games that contain a text; without one, the first ones. */
export const useBetaNames = (text: string) =>
  useAccountRead(
    [...keys.betaMappings, 'names', text],
    (asking) => {
      const names = api.beta['game-mappings']
      return text.length < textMin
        ? names.get({ query: { take }, ...asking })
        : names.search.get({ query: { q: text }, ...asking })
    },
    { placeholderData: keepPreviousData },
  )

/** The same of Xbox titles. */
export const useEpsilonNames = (text: string) =>
  useAccountRead(
    [...keys.epsilonMappings, 'names', text],
    (asking) => {
      const names = api.epsilon['game-mappings']
      return text.length < textMin
        ? names.get({ query: { take }, ...asking })
        : names.search.get({ query: { q: text }, ...asking })
    },
    { placeholderData: keepPreviousData },
  )
