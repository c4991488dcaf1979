import type { Sql } from 'postgres'
import { AppError } from '../../core/http/errors.ts'
import { normalAddress } from '../../core/lib/address.ts'
import { hasWholeHours } from '../reports/whole-hours.ts'
import { excludedClients } from '../../clients/contract.ts'
import { everything, focusHours, type Focus, type HourOfDaySums } from '../reports/focus.ts'
import { foldedService, serviceNames, utc } from '../reports/numbers.ts'
import { allTime } from '../reports/range.ts'
import type { Reports } from '../reports/reports.ts'
import type { Scope } from '../reports/scope.ts'
import { bytesTotals } from '../reports/series.ts'
import type { ClientReport, ServiceReport } from './model.ts'
import { clientShares, groupOf } from './client-shares.ts'
import { gameShare, meanSpeed, recentSeries, topMax, type ReportDeps } from './service.ts'
import { countGames, sumsByClient, sumsByGame, together } from './store.ts'

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

/** The parts common to client and service reports. */
function parts(reports: Reports, { scope, focus, now }: { scope: Scope; focus: Focus; now: Date }) {
  const read = <T>(ask: (sql: Sql) => Promise<T>) => reports.read(ask)
  return Promise.all([
    read((sql) => sumsByClient(sql, scope, focus)),
    read((sql) => sumsByGame(sql, scope, { focus, limit: topMax })),
    read((sql) => countGames(sql, scope, focus)),
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
  const missing = new AppError('notFound', 'No downloads by this client were found')
  if (hidden.includes(ip)) throw missing
  // A client excluded from overall sums still has its own.
  const scope = { ...asked.scope, period: allTime, without: hidden }
  const focus = { ...everything, client: ip }
  const { timeZone } = config
  const now = clock.now()
  const isWholeHours = hasWholeHours(timeZone, now)
  const [[clients, games, gameCount, recent], hours] = await reports.cached(
    `client ${ip}`,
    scope,
    () =>
      Promise.all([
        parts(reports, { scope, focus, now }),
        reports.read((sql) => focusHours(sql, scope, { focus, timeZone, isWholeHours })),
      ]),
  )
  const totals = together(clients)
  if (totals === null) throw missing
  const group = groupOf(deps, ip)
  if (hasNames) names.prepare([ip])
  const hostname = hasNames ? names.labelOf(ip) : null
  return {
    clientIp: ip,
    displayName: group?.nickname ?? hostname,
    hostname,
    group: group === null ? null : { id: group.id, nickname: group.nickname },
    isExcluded: uncounted.includes(ip),
    totals: bytesTotals(totals),
    averageBytesPerSecond: meanSpeed(totals),
    firstSeenUtc: utc(totals.firstAt),
    lastSeenUtc: utc(totals.lastAt),
    games: gameCount,
    hoursOfDay: hoursOf(hours),
    timeZone,
    topGames: games.map(gameShare),
    recent,
  }
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
  const [clients, games, gameCount, recent] = await reports.cached(
    `service ${service}`,
    scope,
    () => parts(reports, { scope, focus, now }),
  )
  const totals = together(clients)
  if (totals === null) throw new AppError('notFound', 'No downloads of this service were found')
  return {
    service,
    names: services,
    totals: bytesTotals(totals),
    averageBytesPerSecond: meanSpeed(totals),
    firstSeenUtc: utc(totals.firstAt),
    lastSeenUtc: utc(totals.lastAt),
    clients: clients.length,
    games: gameCount,
    topGames: games.map(gameShare),
    topClients: clientShares(deps, clients.slice(0, topMax), hasNames),
    recent,
  }
}
