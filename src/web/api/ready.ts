import type { ReadyGame } from '../../prefill/ready/model.ts'
import { ask } from './ask.ts'

export const ready = '/api/ext/prefill/ready'

export type NewGame = Pick<ReadyGame, 'platform' | 'appId' | 'name'>

/** Adds games to the readiness board. */
export const addGames = (games: readonly NewGame[]) =>
  ask('POST', `${ready}/games`, {
    games: games.map(({ platform, appId, name }) => ({ platform, appId, name })),
  })
/** Fetches what is missing on the board. */
export const makeReady = () => ask('POST', `${ready}/make`)
