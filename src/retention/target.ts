import type { Queued } from '../operations/contract.ts'

/** Starts the usual removal of one game; the same code that people use. */
export interface GameRemover {
  removeAlpha(appId: number, options: object): Promise<Pick<Queued, 'operationId'>>
  removeBeta(name: string, options: object): Promise<Pick<Queued, 'operationId'>>
  removeNamed(
    game: { service: string; gameName: string },
    options: object,
  ): Promise<Pick<Queued, 'operationId'>>
}

export const gameKeyMax = 400
const alpha = /^alpha:(\d{1,15})$/
const beta = /^beta:(.+)$/
const named = /^named:([^:]+):(.+)$/

/** Whether a text names a game as `gameKey` of `src/titles/games.ts` does. */
export const isGameKey = (key: string): boolean =>
  key.length <= gameKeyMax && [alpha, beta, named].some((form) => form.test(key))

/** Begins the removal of the game with this key; answers the operation. Throws AppError. */
export function removeByKey(remover: GameRemover, key: string): Promise<{ operationId: string }> {
  const appId = alpha.exec(key)?.[1]
  if (appId !== undefined) return remover.removeAlpha(Number(appId), {})
  const betaId = beta.exec(key)?.[1]
  if (betaId !== undefined) return remover.removeBeta(betaId, {})
  const [, service, gameName] = named.exec(key) ?? []
  if (service === undefined || gameName === undefined) throw new Error(`${key} is no game`)
  return remover.removeNamed({ service, gameName }, {})
}
