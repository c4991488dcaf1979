import type { Sql } from 'postgres'
import { AppError } from '../../core/http/errors.ts'
import { normalAddress } from '../../core/lib/address.ts'
import { hasWholeHours } from '../reports/whole-hours.ts'
import { excludedClients } from '../../clients/contract.ts'
import { everything, focusHours, type Focus } from '../reports/focus.ts'
import { foldedService, meanSpeed, serviceNames, utc } from '../reports/numbers.ts'
import { allTime } from '../reports/range.ts'
import type { Reports } from '../reports/reports.ts'
import type { Scope } from '../reports/scope.ts'
import { bytesTotals } from '../reports/series.ts'
import type { HourOfDaySums } from '../reports/traffic.ts'
import type { ClientReport, ClientTraffic, ServiceReport, Traffic } from './model.ts'
import { clientShares, groupOf } from './client-shares.ts'
import {
  focusTraffic,
  gameShare,
  recentSeries,
  servedInAll,
  topMax,
  type ReportDeps,
  type TrafficQuestion,
} from './service.ts'
import { sumsByClient, sumsByGame, together } from './store.ts'

function hoursOf(sums: readonly HourOfDaySums[]): ClientReport['hoursOfDay'] {
  const byHour = new Map(sums.map((row) => [row.hour, row]))
  return Array.from({ length: 24 }, (_, hour) => {
    const { downloads, hitBytes, missBytes } = byHour.get(hour) ?? {
      downloads: 0,
      hitBytes: 0,
      missBytes: 0,
    }
    return { hour, downloads, hitBytes, missBytes, servedBytes: hitBytes + missBytes }
  })
}

function addressOf(text: string): string {
  const ip = normalAddress(text)
  if (ip === null) throw new AppError('invalid', 'The client must be an IPv4 or IPv6 address')
  return ip
}

const noClient = () => new AppError('notFound', 'No downloads by this client were found')

/** The parts common to client and service reports. */
function parts(reports: Reports, { scope, focus, now }: { scope: Scope; focus: Focus; now: Date }) {
  const read = <T>(ask: (sql: Sql) => Promise<T>) => reports.read(ask)
  return Promise.all([
    servedInAll(reports, scope, focus),
    read((sql) => sumsByClient(sql, scope, focus)),
    read((sql) => sumsByGame(sql, scope, { focus, limit: topMax })),
    recentSeries(reports, { scope, focus, now }),
  ])
}

interface Parts {
  deps: ReportDeps
  reports: Reports
}

interface Asked {
  scope: Scope
  /** Whether the reader may see host names. */
  hasNames: boolean
}

/**
 * Report of one client over all time. Throws `invalid` for a malformed address and `notFound` for
 * hidden and unknown clients.
 */
export async function clientReport(
  { deps, reports }: Parts,
  text: string,
  asked: Asked,
): Promise<ClientReport> {
  const { clock, config, state, names } = deps
  const { hasNames } = asked
  const ip = addressOf(text)
  const { hidden, uncounted } = excludedClients(state)
  if (hidden.includes(ip)) throw noClient()
  // A client excluded from overall sums still has its own.
  const scope = { ...reports.counted({ ...asked.scope, period: allTime }), without: hidden }
  const focus = { ...everything, client: ip }
  const { timeZone } = config
  const now = clock.now()
  const isWholeHours = hasWholeHours(timeZone, now)
  const [[served, clients, games, recent], hours] = await reports.cached(
    `client ${ip}`,
    scope,
    () =>
      Promise.all([
        parts(reports, { scope, focus, now }),
        reports.read((sql) => focusHours(sql, scope, { focus, timeZone, isWholeHours })),
      ]),
  )
  if (served === null) throw noClient()
  const group = groupOf(deps, ip)
  if (hasNames) names.prepare([ip])
  const hostname = hasNames ? names.labelOf(ip) : null
  return {
    clientIp: ip,
    displayName: group?.nickname ?? hostname,
    hostname,
    group: group === null ? null : { id: group.id, nickname: group.nickname },
    isExcluded: uncounted.includes(ip),
    totals: bytesTotals(served),
    averageBytesPerSecond: meanSpeed(together(clients)),
    firstSeenUtc: utc(served.firstAt),
    lastSeenUtc: utc(served.lastAt),
    games: games[0]?.named ?? 0,
    hoursOfDay: hoursOf(hours),
    timeZone,
    topGames: games.map(gameShare),
    recent,
  }
}

/**
 * Traffic of one client over a range, excluded ones included. Throws `invalid` for a malformed
 * address and unsuitable bucket widths, `notFound` for hidden clients.
 */
export async function clientTraffic(
  { deps, reports }: Parts,
  text: string,
  asked: TrafficQuestion,
): Promise<ClientTraffic> {
  const { clock, config, state } = deps
  const { timeZone } = config
  const client = addressOf(text)
  const { hidden } = excludedClients(state)
  if (hidden.includes(client)) throw noClient()
  const question = { ...asked, scope: { ...reports.counted(asked.scope), without: hidden } }
  const { scope, bucketMinutes } = question
  const focus = { ...everything, client }
  const isWholeHours = hasWholeHours(timeZone, clock.now())
  return reports.cached(`client traffic ${client} ${bucketMinutes}`, scope, async () => {
    const [traffic, hours] = await Promise.all([
      focusTraffic(reports, focus, question),
      reports.read((sql) => focusHours(sql, scope, { focus, timeZone, isWholeHours })),
    ])
    return { ...traffic, hoursOfDay: hoursOf(hours), timeZone }
  })
}

/** Traffic of one service over a range. Throws `invalid` for unsuitable bucket widths. */
export async function serviceTraffic(
  { reports }: Pick<Parts, 'reports'>,
  text: string,
  asked: TrafficQuestion,
): Promise<Traffic> {
  const services = serviceNames(foldedService(text.toLowerCase()))
  const scope = reports.counted(asked.scope)
  const { bucketMinutes } = asked
  return reports.cached(`service traffic ${services.join(' ')} ${bucketMinutes}`, scope, () =>
    focusTraffic(reports, { ...everything, services }, { scope, bucketMinutes }),
  )
}

/** Report of one service over all time. Throws `notFound` for services without downloads. */
export async function serviceReport(
  { deps, reports }: Parts,
  text: string,
  asked: Asked,
): Promise<ServiceReport> {
  const { hasNames } = asked
  const service = foldedService(text.toLowerCase())
  const services = serviceNames(service)
  const scope = reports.counted({ ...asked.scope, period: allTime })
  const focus = { ...everything, services }
  const now = deps.clock.now()
  const [served, clients, games, recent] = await reports.cached(`service ${service}`, scope, () =>
    parts(reports, { scope, focus, now }),
  )
  if (served === null) throw new AppError('notFound', 'No downloads of this service were found')
  return {
    service,
    names: services,
    totals: bytesTotals(served),
    averageBytesPerSecond: meanSpeed(together(clients)),
    firstSeenUtc: utc(served.firstAt),
    lastSeenUtc: utc(served.lastAt),
    clients: clients.length,
    games: games[0]?.named ?? 0,
    topGames: games.map(gameShare),
    topClients: clientShares(deps, clients.slice(0, topMax), hasNames),
    recent,
  }
}
