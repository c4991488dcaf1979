import { otherService } from '../../engines/logs/lines/service-label.ts'
import type { DownloadsParts } from '../parts.ts'
import { activeSince } from '../reports/active.ts'
import { failedOf, failedSums, type FailedSum } from '../reports/failed.ts'
import { foldedService, percent, ratio, utc } from '../reports/numbers.ts'
import { allTime, touched, type Period } from '../reports/range.ts'
import type { Reports } from '../reports/reports.ts'
import type { Scope } from '../reports/scope.ts'
import { addedSums, type NamedSums, type Sums } from '../reports/traffic.ts'
import { clientRows } from './client-rows.ts'
import type { DashboardStats, ServiceStats } from './model.ts'
import { countActive, countClients, serviceSums } from './store.ts'

const hourSeconds = 3600

const bytesOf = (sums: Sums): number => sums.hitBytes + sums.missBytes

/** Puts the names of one service together; most bytes first. */
export function foldServices(rows: NamedSums[], nameOf = foldedService): NamedSums[] {
  const folded = new Map<string, NamedSums>()
  for (const row of rows) {
    const name = nameOf(row.name)
    const known = folded.get(name)
    folded.set(name, { ...(known === undefined ? row : addedSums(known, row)), name })
  }
  return [...folded.values()].sort((a, b) => bytesOf(b) - bytesOf(a) || (a.name < b.name ? -1 : 1))
}

const serviceStats = (row: NamedSums, failedRequests: number): ServiceStats => ({
  service: row.name,
  totalCacheHitBytes: row.hitBytes,
  totalCacheMissBytes: row.missBytes,
  totalBytes: bytesOf(row),
  cacheHitPercent: percent(row.hitBytes, bytesOf(row)),
  totalDownloads: row.downloads,
  totalRequests: row.requests,
  failedRequests,
  lastActivityUtc: utc(row.lastAt),
})

/** A period's name: `all`, `<n>h` up to a day, `<n>d`, `since <day>`, `until <day>`. */
export function durationOf({ start, end }: Period): string {
  if (start === null) return end === null ? 'all' : `until ${utc(end).slice(0, 10)}`
  if (end === null) return `since ${utc(start).slice(0, 10)}`
  const hours = Math.max(1, Math.round((end - start) / hourSeconds))
  return hours <= 24 ? `${hours}h` : `${Math.round(hours / 24)}d`
}

const total = (rows: NamedSums[]) => ({
  hit: rows.reduce((sum, row) => sum + row.hitBytes, 0),
  miss: rows.reduce((sum, row) => sum + row.missBytes, 0),
  downloads: rows.reduce((sum, row) => sum + row.downloads, 0),
})

const utcOrNull = (seconds: number | null) => (seconds === null ? null : utc(seconds))

function periodStats(
  rows: NamedSums[],
  failed: readonly FailedSum[],
  { period, eventId }: Pick<Scope, 'period' | 'eventId'>,
): DashboardStats['period'] {
  const { hit, miss, downloads } = total(rows)
  // An event is whole downloads, which no bucket cuts.
  const { from, until } =
    eventId === null ? touched(period) : { from: period.start, until: period.end }
  return {
    duration: durationOf(period),
    since: utcOrNull(period.start),
    effectiveStartUtc: utcOrNull(from),
    effectiveEndUtc: utcOrNull(until),
    bandwidthSaved: hit,
    addedToCache: miss,
    totalServed: hit + miss,
    hitRatio: ratio(hit, hit + miss),
    downloads,
    failedRequests: failedOf(failed, () => true),
  }
}

export const emptyDashboard = (period: Period, now: Date): DashboardStats => ({
  totalBandwidthSaved: 0,
  totalAddedToCache: 0,
  totalServed: 0,
  cacheHitRatio: 0,
  activeDownloads: 0,
  uniqueClients: 0,
  topService: 'none',
  period: periodStats([], [], { period, eventId: null }),
  serviceBreakdown: [],
  lastUpdated: now.toISOString(),
})

/** The service with the most bytes; null without any. Rows are sorted by bytes. */
const topOf = (rows: NamedSums[]): string | null =>
  rows.find((row) => bytesOf(row) > 0 && row.name !== otherService)?.name ?? null

type StatsDeps = Pick<DownloadsParts, 'clock' | 'state' | 'names'>

const isAllTime = ({ period: { start, end }, eventId }: Scope): boolean =>
  start === null && end === null && eventId === null

/** Headline figures, totals per service and per client. */
export function createStats(deps: StatsDeps, reports: Reports) {
  const { clock } = deps
  const { read, sums, cached, counted, shown } = reports

  const services = (scope: Scope) => cached('services', scope, () => sums(scope, serviceSums))

  const failed = (scope: Scope) =>
    cached('failed', scope, () => read((sql) => failedSums(sql, scope, 'service')))

  /** Services of a scope with what failed, under the names that `nameOf` makes of the log's. */
  async function serviceRows(asked: Scope, nameOf: (service: string) => string) {
    const scope = counted(asked)
    const [rows, failures] = await Promise.all([services(scope), failed(scope)])
    const named = foldServices(rows, nameOf)
    return named.map((row) =>
      serviceStats(
        row,
        failedOf(failures, (name) => nameOf(name) === row.name),
      ),
    )
  }

  async function dashboard(scope: Scope, listed: Scope): Promise<DashboardStats> {
    const now = clock.now()
    const { includePrefill, without } = scope
    const whole = { ...scope, period: allTime, eventId: null }
    const ofScope = services(scope)
    const [ever, rows, shown, uniqueClients, activeDownloads, failures] = await Promise.all([
      // Read together with the rest: sums kept from an earlier answer may be older than those of the range.
      isAllTime(scope) ? ofScope : read((sql) => serviceSums(sql, whole)),
      ofScope,
      // Clients excluded only from sums still appear in the list of services.
      listed.without.length === without.length ? null : services(listed),
      read((sql) => countClients(sql, scope)),
      read((sql) => countActive(sql, { since: activeSince(now), includePrefill, without })),
      failed(scope),
    ])
    const all = total(ever)
    const folded = foldServices(shown ?? rows)
    const { hit, miss } = total(folded)
    const period = periodStats(rows, failures, scope)
    return {
      totalBandwidthSaved: all.hit,
      totalAddedToCache: all.miss,
      totalServed: all.hit + all.miss,
      cacheHitRatio: ratio(all.hit, all.hit + all.miss),
      activeDownloads,
      uniqueClients,
      topService: topOf(foldServices(ever)) ?? 'none',
      period,
      serviceBreakdown: folded.map((row) => ({
        service: row.name,
        bytes: bytesOf(row),
        percentage: percent(bytesOf(row), hit + miss),
      })),
      lastUpdated: now.toISOString(),
    }
  }

  return {
    /** First and last moment with traffic in the scope, Unix seconds; null without traffic. */
    async extent(asked: Scope): Promise<{ first: number; last: number } | null> {
      const rows = await services(counted(asked))
      if (rows.length === 0) return null
      return {
        first: Math.min(...rows.map(({ firstAt }) => firstAt)),
        last: Math.max(...rows.map(({ lastAt }) => lastAt)),
      }
    },
    dashboard: (asked: Scope) => {
      const [scope, listed] = [counted(asked), shown(asked)]
      return cached(`dashboard ${listed.without.join(' ')}`, scope, () => dashboard(scope, listed))
    },
    /** Every service under the name the log gave it. */
    services: (scope: Scope) => serviceRows(scope, (service) => service),
    /** Services as the dashboard shows them: names of one service put together. */
    foldedServices: (scope: Scope) => serviceRows(scope, foldedService),
    clients: clientRows(deps, reports),
  }
}

export type Stats = ReturnType<typeof createStats>
