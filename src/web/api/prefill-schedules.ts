import type { NamedSchedule } from '../../prefill/scheduled/named-model.ts'
import { api, unwrap, keys } from './client.ts'
import { useAccountRead } from './queries.ts'
import type { ReadyGame } from '../../prefill/ready/model.ts'

export type { NamedSchedule }

export const prefillSchedules = api.ext.prefill.schedules
const pollMs = 10_000

export const usePrefillSchedules = () =>
  useAccountRead([...keys.prefill, 'schedules'], prefillSchedules.get, { refetchInterval: pollMs })

/** Nodes whose caches can be filled. */
export const usePrefillCaches = () =>
  useAccountRead([...keys.prefill, 'caches'], prefillSchedules.caches.get)

export const runSchedule = (id: string) => unwrap(prefillSchedules({ id }).run.post())

export const { ready } = api.ext.prefill
export type NewGame = Pick<ReadyGame, 'platform' | 'appId' | 'name'>

/** Adds games to the readiness board. */
export const addGames = (games: readonly NewGame[]) =>
  unwrap(
    ready.games.post({
      games: games.map(({ platform, appId, name }) => ({ platform, appId, name })),
    }),
  )
/** Fetches what is missing on the board. */
export const makeReady = () => unwrap(ready.make.post())
