import { gameKeyOf, gameServices, type GameKey, type TitleRule } from '../reports/games.ts'
import { periodOf } from '../reports/scope.ts'
import { serviceNames } from '../reports/numbers.ts'
import type { Period } from '../reports/range.ts'
import type { RetroParameters } from './model.ts'

export const pageSizeDefault = 50
export const pageSizeMax = 200
/** Deeper pages would make the database sort millions of rows for one answer. */
export const pageMax = 100_000

export const retroSorts = [
  'latest',
  'oldest',
  'largest',
  'smallest',
  'efficiency',
  'efficiency-low',
  'sessions',
  'alphabetical',
  'service',
] as const
export type RetroSort = (typeof retroSorts)[number]

/** Groups outside of these do not match a search; the others may. */
export interface Candidates {
  titles: string[]
  services: string[]
  clients: string[]
}

export interface RetroQuery {
  page: number
  pageSize: number
  sort: RetroSort
  services: string[] | null
  game: GameKey | null
  /** The titles of `game`, resolved before the view is read. */
  titles: TitleRule | null
  client: string | null
  search: string | null
  hideLocalhost: boolean
  showZeroBytes: boolean
  hideUnknown: boolean
  merge: 'none' | 'game' | 'service'
  period: Period
  /** Single downloads are kept since then, Unix seconds; null: all of them. */
  keptSince: number | null
  /** Few downloads are after the period; determined with the view. */
  isNearEnd: boolean
  /**
   * Titles with a depot, all others, both, one by one; or only the keys of the first, the numbers of the
   * others, or the clients.
   */
  part: 'all' | 'depots' | 'keys' | 'loose' | 'title' | 'counts' | 'clients'
  /** Depots of other titles or clients are not on the page; null: all may be. */
  depots: { titles: string[]; clients: string[] } | null
  /** What a search may find, resolved with the view; null: everything. */
  candidates: Candidates | null
  /** Sums of all clients together: rows have no client. */
  isOfAllClients: boolean
  eventId: number | null
  hitMiss: 'all' | 'hit' | 'miss'
  includePrefill: boolean
  /** Clients that are neither listed nor added up. */
  without: readonly string[]
  /** Excludes evicted downloads. */
  hidesEvicted: boolean
}

const given = (value: string | undefined): string | null => {
  const text = value?.trim() ?? ''
  return text === '' || text.toLowerCase() === 'all' ? null : text
}

const clamp = (value: number, min: number, max: number) => Math.min(max, Math.max(min, value))

/** Log names matching both the service and the game; null for all. */
function servicesOf(service: string | null, game: GameKey | null): string[] | null {
  if (game === null) return service === null ? null : serviceNames(service)
  const names = gameServices(game)
  return service === null ? names : names.filter((name) => serviceNames(service).includes(name))
}

/** Unknown words mean the default, numbers are clamped. Throws `invalid` for a malformed game. */
export function retroQueryOf(parameters: RetroParameters): RetroQuery {
  const service = given(parameters.Service)
  const game = given(parameters.Game)
  const gameKey = game === null ? null : gameKeyOf(game)
  const hitMiss = parameters.HitMiss?.toLowerCase()
  const mergeGame = parameters.GroupByGame === true ? 'game' : 'none'
  const search = parameters.Search?.trim() ?? ''
  return {
    page: clamp(parameters.Page ?? 1, 1, pageMax),
    pageSize: clamp(parameters.PageSize ?? pageSizeDefault, 1, pageSizeMax),
    sort: retroSorts.find((sort) => sort === parameters.Sort?.toLowerCase()) ?? 'latest',
    services: servicesOf(service, gameKey),
    game: gameKey,
    titles: null,
    client: given(parameters.Client),
    search: search === '' ? null : search.toLowerCase(),
    hideLocalhost: parameters.HideLocalhost ?? false,
    showZeroBytes: parameters.ShowZeroBytes ?? true,
    hideUnknown: parameters.HideUnknown ?? false,
    merge: parameters.GroupByService === true ? 'service' : mergeGame,
    period: periodOf(parameters.StartTime, parameters.EndTime),
    keptSince: null,
    isNearEnd: false,
    part: 'all',
    depots: null,
    candidates: null,
    isOfAllClients: false,
    eventId: parameters.EventId ?? null,
    hitMiss: hitMiss === 'hit' || hitMiss === 'miss' ? hitMiss : 'all',
    includePrefill: parameters.includePrefill ?? false,
    without: [],
    hidesEvicted: false,
  }
}
