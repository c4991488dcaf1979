import type { DownloadsParts } from '../parts.ts'
import { AppError } from '../../core/http/errors.ts'
import { everything, focusBuckets, focusDays, focusSums, type Focus } from '../reports/focus.ts'
import {
  gameIdOf,
  gameServices,
  gameTitles,
  selectSumsRule,
  type GameKey,
  type GameTitle,
} from '../reports/games.ts'
import { meanSpeed, utc } from '../reports/numbers.ts'
import { allTime } from '../reports/range.ts'
import type { Reports } from '../reports/reports.ts'
import type { Scope } from '../reports/scope.ts'
import {
  bucketMinutesOf,
  bytesTotals,
  coarsestFor,
  filledBuckets,
  finestMinutes,
  seriesPoint,
  widerBuckets,
} from '../reports/series.ts'
import type { GameReport, GameShare, GameTraffic, Series, Traffic } from './model.ts'
import { addedSums } from '../reports/traffic.ts'
import { clientShares } from './client-shares.ts'
import { sumsByClient, sumsByTitle, together, type GameGroupSums } from './store.ts'

/** Clients and games in a report's short lists. */
export const topMax = 10
/** Depots of one game per answer, those with the most bytes. */
const depotsMax = 100
const recentDays = 30
const daySeconds = 86_400

export type ReportDeps = Pick<DownloadsParts, 'clock' | 'config' | 'state' | 'names'>

/**
 * What was served over all time, as in the chart: also by downloads that a removal deleted. Null
 * when nothing was.
 */
export async function servedInAll(reports: Reports, scope: Scope, focus: Focus) {
  const [sums] = await reports.sums(scope, (sql, of) => focusSums(sql, of, focus))
  return sums ?? null
}

export const gameShare = (row: GameGroupSums): GameShare => ({
  service: row.service,
  gameId: row.gameId,
  gameName: row.gameName,
  gameAppId: row.appId,
  gameImageUrl: row.imageUrl,
  ...bytesTotals(row),
  lastSeenUtc: utc(row.lastAt),
})

/** Bytes per day for the last thirty days, including today. */
export async function recentSeries(
  reports: Reports,
  { scope, focus, now }: { scope: Scope; focus: Focus; now: Date },
): Promise<Series> {
  const last = Math.floor(now.getTime() / 1000 / daySeconds) * daySeconds
  const first = last - (recentDays - 1) * daySeconds
  const period = { start: first, end: last + daySeconds - 1 }
  const options = { focus, coarsest: 'day' as const, seconds: daySeconds }
  const points = await reports.read((sql) => focusBuckets(sql, { ...scope, period }, options))
  const series = filledBuckets(points, { first, last, seconds: daySeconds }).map(seriesPoint)
  return { bucketMinutes: daySeconds / 60, series }
}

const missing = () => new AppError('notFound', 'No downloads of this game were found')

/** A game's identity, from its downloaded titles. */
function identityOf(key: GameKey, titles: readonly GameTitle[]) {
  const [first] = titles
  return {
    service: key.service,
    gameId: first === undefined ? 'unknown' : gameIdOf(first),
    gameName: titles.flatMap(({ gameName }) => gameName ?? []).toSorted()[0] ?? null,
    gameAppId: first?.appId ?? null,
    betaAppId: first?.betaAppId ?? null,
    gameImageUrl: titles.find(({ imageUrl }) => imageUrl !== null)?.imageUrl ?? null,
  }
}

/** The report focus for a game. */
export const gameFocus = async (reports: Reports, key: GameKey): Promise<Focus> => ({
  ...everything,
  services: gameServices(key),
  titles: await reports.read((sql) => selectSumsRule(sql, key)),
})

async function sumsOf(reports: Reports, key: GameKey, scope: Scope) {
  const focus = await gameFocus(reports, key)
  const [served, titles, clients, depots] = await Promise.all([
    servedInAll(reports, scope, focus),
    reports.read((sql) => gameTitles(sql, key)),
    reports.read((sql) => sumsByClient(sql, scope, focus)),
    reports.read((sql) => sumsByTitle(sql, scope, { focus, limit: depotsMax })),
  ])
  return { served, titles, clients, depots }
}

/** One game over all time: which clients have it, since when and how much. */
export const createGameReport =
  (deps: ReportDeps, reports: Reports) =>
  async (key: GameKey, asked: Scope, hasNames: boolean): Promise<GameReport> => {
    const scope = reports.counted({ ...asked, period: allTime })
    const name = `game ${JSON.stringify(key)}`
    const compute = () => sumsOf(reports, key, scope)
    const { served, titles, clients, depots } = await reports.cached(name, scope, compute)
    if (served === null) throw missing()
    const stored = together(clients)
    const byKey = new Map(titles.map((title) => [title.titleKey, title]))
    const downloaded = new Set(depots.map(({ titleKey }) => titleKey))
    const identity = identityOf(
      key,
      titles.filter(({ titleKey }) => downloaded.size === 0 || downloaded.has(titleKey)),
    )
    return {
      ...identity,
      filter: `${identity.service}:${identity.gameId}`,
      totals: bytesTotals(served),
      evictedDownloads: stored?.evicted ?? 0,
      averageBytesPerSecond: meanSpeed(stored),
      firstSeenUtc: utc(served.firstAt),
      lastSeenUtc: utc(served.lastAt),
      clients: clients.length,
      depots: depots.map((row) => ({
        titleKey: row.titleKey,
        depotId: byKey.get(row.titleKey)?.depotId ?? null,
        name: byKey.get(row.titleKey)?.gameName ?? null,
        ...bytesTotals(row),
        firstSeenUtc: utc(row.firstAt),
        lastSeenUtc: utc(row.lastAt),
      })),
      topClients: clientShares(deps, clients.slice(0, topMax), hasNames),
    }
  }

/** Width of a line's buckets; undefined chooses a suitable one. */
export interface TrafficQuestion {
  scope: Scope
  bucketMinutes: number | undefined
}

/** Bytes of a focus over time. Throws `invalid` for unsuitable bucket widths. */
export async function focusTraffic(
  reports: Reports,
  focus: Focus,
  { scope, bucketMinutes }: TrafficQuestion,
): Promise<Traffic> {
  const { start, end } = scope.period
  // Refused before anything is read.
  if (start !== null && end !== null) bucketMinutesOf(bucketMinutes, end - start)
  await reports.checkEvent(scope.eventId)
  const days = await reports.read((sql) => focusDays(sql, scope, focus))
  const served = days.length === 0 ? null : days.reduce(addedSums)
  const minutes = bucketMinutesOf(
    bucketMinutes,
    served === null ? 0 : served.lastAt - served.firstAt,
    finestMinutes(scope, served?.firstAt ?? 0),
  )
  const seconds = minutes * 60
  const coarsest = coarsestFor(minutes)
  // The days were read to find the line's length, and most lines need nothing else.
  const points =
    coarsest === 'day'
      ? widerBuckets(days, seconds)
      : await reports.read((sql) => focusBuckets(sql, scope, { focus, seconds, coarsest }))
  const [first, last] = [points[0]?.at ?? 0, points.at(-1)?.at ?? -1]
  const add = (pick: 'hitBytes' | 'missBytes') =>
    points.reduce((sum, point) => sum + point[pick], 0)
  return {
    startTimeUtc: start === null ? null : utc(start),
    endTimeUtc: end === null ? null : utc(end),
    totals: bytesTotals({
      hitBytes: add('hitBytes'),
      missBytes: add('missBytes'),
      downloads: served?.downloads ?? 0,
    }),
    bucketMinutes: minutes,
    series: filledBuckets(points, { first, last, seconds }).map(seriesPoint),
  }
}

/** Bytes of one game over time. Throws `invalid` for unsuitable bucket widths. */
export async function gameTraffic(
  reports: Reports,
  key: GameKey,
  asked: TrafficQuestion,
): Promise<GameTraffic> {
  const scope = reports.counted(asked.scope)
  const { bucketMinutes } = asked
  const name = `game traffic ${bucketMinutes} ${JSON.stringify(key)}`
  return reports.cached(name, scope, async () => {
    const focus = await gameFocus(reports, key)
    const [titles, traffic] = await Promise.all([
      reports.read((sql) => gameTitles(sql, key)),
      focusTraffic(reports, focus, { scope, bucketMinutes }),
    ])
    const { service, gameId } = identityOf(key, titles)
    return { service, gameId, ...traffic }
  })
}
