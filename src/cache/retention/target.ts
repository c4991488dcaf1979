import type { Queued } from '../../core/operations/contract.ts'

type NamedTarget =
  | { kind: 'alpha'; appId: number }
  | { kind: 'beta'; gameName: string }
  | { kind: 'named'; service: string; gameName: string }

/** Starts the usual removal of one game, the same as on request. */
export interface GameRemover {
  /** What a removal would delete. */
  preview(target: NamedTarget): Promise<{ files: number }>
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

/** Whether a text is a game key as made by `gameKey` in `src/catalogue/titles/games.ts`. */
export const isGameKey = (key: string): boolean =>
  key.length <= gameKeyMax && [alpha, beta, named].some((form) => form.test(key))

/** Parses a key. Throws for a text that is no game key. */
function targetOf(key: string): NamedTarget {
  const appId = alpha.exec(key)?.[1]
  if (appId !== undefined) return { kind: 'alpha', appId: Number(appId) }
  const betaId = beta.exec(key)?.[1]
  if (betaId !== undefined) return { kind: 'beta', gameName: betaId }
  const [, service, gameName] = named.exec(key) ?? []
  if (service === undefined || gameName === undefined) throw new Error(`${key} is no game`)
  return { kind: 'named', service, gameName }
}

/** Files that a removal would delete: none of depots that other games need. Throws AppError. */
export async function removableFiles(remover: GameRemover, key: string): Promise<number> {
  const { files } = await remover.preview(targetOf(key))
  return files
}

/** Starts removing the game with this key; returns the operation. Throws AppError. */
export function removeByKey(remover: GameRemover, key: string): Promise<{ operationId: string }> {
  const target = targetOf(key)
  if (target.kind === 'alpha') return remover.removeAlpha(target.appId, {})
  if (target.kind === 'beta') return remover.removeBeta(target.gameName, {})
  return remover.removeNamed(target, {})
}
