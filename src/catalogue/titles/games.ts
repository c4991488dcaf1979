import { describeTitle } from '../../engines/titles/titles.ts'

/** What the history's table of titles knows of one; null members are unknown. */
export interface TitleRow {
  titleKey: string
  gameName: string | null
  gameAppId: number | null
  betaAppId: string | null
  depotId: number | null
  imageUrl: string | null
}

/** The game that a title belongs to, or the service when nothing finer is known. */
export type GameIdentity =
  /** `isUnknown`: a depot that no catalogue knows; its own id stands for the app. */
  | { kind: 'alpha'; appId: number; name: string; depotId: number | null; isUnknown: boolean }
  | { kind: 'beta'; betaAppId: string; name: string }
  /** Known by service and name only. */
  | { kind: 'named'; service: string; name: string }
  | { kind: 'service'; service: string }

export const unknownDepotName = (depotId: number): string => `Unknown Game (Depot ${depotId})`

/**
 * Which game a title belongs to. The row of the history wins over what the key says by itself, so
 * that names learnt later count; without a row (the history is away) the key has to do.
 */
export function gameOf(titleKey: string, service: string, row?: TitleRow): GameIdentity {
  const known = describeTitle(titleKey, service)
  const betaAppId = row?.betaAppId ?? known.betaAppId
  const name = row?.gameName ?? known.gameName
  const depotId = row?.depotId ?? known.depotId
  const appId = row?.gameAppId ?? known.gameAppId
  if (betaAppId !== null) return { kind: 'beta', betaAppId, name: name ?? betaAppId }
  if (appId !== null && appId > 0) {
    return { kind: 'alpha', appId, name: name ?? `Steam App ${appId}`, depotId, isUnknown: false }
  }
  if (depotId !== null) {
    const isUnknown = name === null
    return {
      kind: 'alpha',
      appId: depotId,
      name: name ?? unknownDepotName(depotId),
      depotId,
      isUnknown,
    }
  }
  if (name !== null) return { kind: 'named', service: displayService(titleKey, service), name }
  return { kind: 'service', service }
}

/** Titles of the Microsoft Store travel in the updates' traffic; people look for them as Xbox. */
const displayService = (titleKey: string, service: string): string =>
  titleKey.startsWith('epsilon:') ? 'xbox' : service

/** One text per game: the same for all of its titles, for grouping. */
export function gameKey(game: GameIdentity): string {
  if (game.kind === 'alpha') return `alpha:${game.appId}`
  if (game.kind === 'beta') return `beta:${game.betaAppId}`
  if (game.kind === 'named') return `named:${game.service}:${game.name}`
  return `service:${game.service}`
}
