import { describeTitle } from '../../engines/titles/titles.ts'

/** A title's row in the history; null members are unknown. */
export interface TitleRow {
  titleKey: string
  gameName: string | null
  gameAppId: number | null
  betaAppId: string | null
  depotId: number | null
  imageUrl: string | null
}

/** The game of a title, or its service when nothing more specific is known. */
export type GameIdentity =
  /** `isUnknown`: a depot in no catalogue; its own id stands in for the app's. */
  | { kind: 'alpha'; appId: number; name: string; depotId: number | null; isUnknown: boolean }
  | { kind: 'beta'; betaAppId: string; name: string }
  /** Known by service and name only. */
  | { kind: 'named'; service: string; name: string }
  | { kind: 'service'; service: string }

export const unknownDepotName = (depotId: number): string => `Unknown Game (Depot ${depotId})`

/**
 * Finds a title's game. The history's row takes precedence over the key, so that names learnt later
 * apply; without a row (the history is away) only the key is available.
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

/** Microsoft Store titles arrive in update traffic; users know them as Xbox. */
const displayService = (titleKey: string, service: string): string =>
  titleKey.startsWith('epsilon:') ? 'xbox' : service

/** Grouping key: the same text for all titles of a game. */
export function gameKey(game: GameIdentity): string {
  if (game.kind === 'alpha') return `alpha:${game.appId}`
  if (game.kind === 'beta') return `beta:${game.betaAppId}`
  if (game.kind === 'named') return `named:${game.service}:${game.name}`
  return `service:${game.service}`
}
