import type { Fragment, Sql } from 'postgres'
import { AppError } from '../../core/http/errors.ts'
import { platformOf } from '../../engines/titles/titles.ts'
import { epsilonServices, foldedService, serviceNames } from './numbers.ts'
import type { Reports } from './reports.ts'

const kinds = ['app', 'beta', 'name', 'unknown'] as const

/**
 * Identifies a game by its service and an app id, a beta id or its lower-case name. `any` tries the
 * three in this order; `unknown` is everything of a service with none of them.
 */
export interface GameKey {
  /** As shown in lists, see `foldedService`. */
  service: string
  kind: (typeof kinds)[number] | 'any'
  value: string
}

/** Titles by key: these, or all except these. */
export interface TitleRule {
  keys: readonly string[]
  isExcept: boolean
}

export interface GameTitle {
  titleKey: string
  gameName: string | null
  appId: number | null
  betaAppId: string | null
  depotId: number | null
  imageUrl: string | null
}

function keyOf(service: string, text: string): GameKey {
  const folded = foldedService(service)
  if (text === 'unknown') return { service: folded, kind: 'unknown', value: '' }
  const [, kind, value] = /^(app|beta|name)-(.+)$/s.exec(text) ?? []
  const found = kinds.find((one) => one === kind)
  if (found === undefined || value === undefined)
    return { service: folded, kind: 'any', value: text }
  return { service: folded, kind: found, value: found === 'name' ? value.toLowerCase() : value }
}

/**
 * Parses a game from a request: `<service>:<key>`, or its row's id in the retro view
 * (`<service>-app-<id>`). Throws `invalid` for anything else.
 */
export function gameKeyOf(text: string): GameKey {
  const [, service, key] =
    /^([^:]+):(.+)$/s.exec(text) ?? /^(.+?)-((?:app|beta|name)-.+|unknown)$/s.exec(text) ?? []
  if (service !== undefined && key !== undefined) return keyOf(service, key)
  throw new AppError('invalid', 'A game must be given as <service>:<app id, beta id or name>')
}

/** Services of the log that deliver a game. Files of Xbox also come with the updates of Windows. */
export const gameServices = ({ service, kind }: GameKey): string[] =>
  service === 'xbox' && kind !== 'unknown' ? [...epsilonServices, 'wsus'] : serviceNames(service)

/** The same from the two parts of a path. */
export const gameKeyAt = (service: string, id: string): GameKey => keyOf(service, id)

/** A game's identifier in requests; the retro view's id has a dash instead of the colon. */
export const gameIdOf = ({ appId, betaAppId, gameName }: Omit<GameTitle, 'titleKey'>): string => {
  if (appId !== null && appId !== 0) return `app-${appId}`
  if (betaAppId !== null) return `beta-${betaAppId}`
  return gameName === null ? 'unknown' : `name-${gameName.toLowerCase()}`
}

const columns = (sql: Sql): Fragment => sql`
  SELECT title_key AS "titleKey", game_name AS "gameName", game_app_id::float8 AS "appId",
    beta_app_id AS "betaAppId", depot_id::float8 AS "depotId", image_url AS "imageUrl"
  FROM titles`

/** Larger numbers are neither app ids nor exactly representable. */
const appIdPattern = /^\d{1,15}$/

const hasApp = (sql: Sql): Fragment => sql`(game_app_id IS NOT NULL AND game_app_id <> 0)`

/** Titles with any key; the rest of a service is unknown. */
const isNamed = (sql: Sql): Fragment =>
  sql`(${hasApp(sql)} OR beta_app_id IS NOT NULL OR game_name IS NOT NULL)`

/** An app of Steam may have the id or the name that a game of another platform has. */
function ofPlatform(sql: Sql, key: GameKey): Fragment {
  const [platform] = gameServices(key).flatMap((service) => platformOf(service) ?? [])
  return platform === undefined ? sql`true` : sql`platform = ${platform}`
}

/** Titles with a key of this kind; a kind applies to a title only if the preceding ones do not. */
function titlesOfKind(sql: Sql, key: GameKey) {
  const { kind, value } = key
  const isApp = appIdPattern.test(value)
  const rule = {
    app: isApp ? sql`game_app_id = ${value}::bigint` : sql`false`,
    beta: sql`beta_app_id = ${value} AND NOT ${hasApp(sql)}`,
    name: sql`lower(game_name) = ${value} AND beta_app_id IS NULL AND NOT ${hasApp(sql)}`,
    any: sql`(${isApp ? sql`game_app_id = ${value}::bigint` : sql`false`}
      OR beta_app_id = ${value} OR lower(game_name) = ${value.toLowerCase()})
      AND ${ofPlatform(sql, key)}`,
    unknown: isNamed(sql),
  }[kind]
  return sql<GameTitle[]>`${columns(sql)} WHERE ${rule} ORDER BY title_key`
}

/** Of titles that match in different ways, the best matches: by app id, by beta id, by name. */
function bestOf(found: GameTitle[], value: string): GameTitle[] {
  const byApp = found.filter(({ appId }) => appId !== null && String(appId) === value)
  if (byApp.length > 0) return byApp
  const byBeta = found.filter(({ betaAppId }) => betaAppId === value)
  return byBeta.length > 0 ? byBeta : found
}

/** A game's titles; none for `unknown`, whose titles have nothing in common. */
export async function gameTitles(sql: Sql, key: GameKey): Promise<GameTitle[]> {
  if (key.kind === 'unknown') return []
  const found = await titlesOfKind(sql, key)
  return key.kind === 'any' ? bestOf([...found], key.value) : [...found]
}

/** The title keys of a game, regardless of its service. */
export async function selectTitleRule(sql: Sql, key: GameKey): Promise<TitleRule> {
  const isExcept = key.kind === 'unknown'
  const titles = isExcept ? await titlesOfKind(sql, key) : await gameTitles(sql, key)
  return { keys: titles.map(({ titleKey }) => titleKey), isExcept }
}

/** More are looked up slower one by one than by reading everything. */
const unnamedMax = 2000

/**
 * The same for sums, which are read by title: of `unknown`, the titles without a name instead of all except
 * those with one. Every title that was ever shipped is in the table, except the empty one.
 */
export async function selectSumsRule(sql: Sql, key: GameKey): Promise<TitleRule> {
  if (key.kind !== 'unknown') return selectTitleRule(sql, key)
  const unnamed = await sql<{ titleKey: string }[]>`
    SELECT title_key AS "titleKey" FROM titles WHERE NOT ${isNamed(sql)} LIMIT ${unnamedMax + 1}`
  if (unnamed.length > unnamedMax) return selectTitleRule(sql, key)
  return { keys: ['', ...unnamed.map(({ titleKey }) => titleKey)], isExcept: false }
}

export const titlesOfGame = (reports: Pick<Reports, 'read'>, key: GameKey): Promise<TitleRule> =>
  reports.read((sql) => selectTitleRule(sql, key))

/** Restricts rows to these titles. */
export const titleRule = (sql: Sql, { keys, isExcept }: TitleRule): Fragment =>
  isExcept
    ? sql`AND title_key <> ALL(${[...keys]}::text[])`
    : sql`AND title_key = ANY(${[...keys]}::text[])`
