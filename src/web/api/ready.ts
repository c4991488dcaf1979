import type { ReadyGame } from '../../prefill/ready/model.ts'
import { api, unwrap } from './client.ts'

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
