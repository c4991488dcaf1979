import { otherService } from '../../engines/logs/lines/service-label.ts'
import type { DownloadsParts } from '../parts.ts'
import { activeSince } from '../reports/active.ts'
import { foldedService, percent, ratio, utc } from '../reports/numbers.ts'
import { allTime, type Period } from '../reports/range.ts'
import type { Reports } from '../reports/reports.ts'
import type { Scope } from '../reports/scope.ts'
import type { NamedSums, Sums } from '../reports/traffic.ts'
import { clientRows } from './client-rows.ts'
import type { DashboardStats, ServiceStats } from './model.ts'
import { allTimeSums, countActive, countClients, serviceSums } from './store.ts'

const hourSeconds = 3600

const add = (a: Sums, b: Sums): Sums => ({
  hitBytes: a.hitBytes + b.hitBytes,
  missBytes: a.missBytes + b.missBytes,
  requests: a.requests + b.requests,
  downloads: a.downloads + b.downloads,
  firstAt: Math.min(a.firstAt, b.firstAt),
  lastAt: Math.max(a.lastAt, b.lastAt),
})

const bytesOf = (sums: Sums): number => sums.hitBytes + sums.missBytes

/** Merges the names of one service; most bytes first. */
export function foldServices(rows: NamedSums[]): NamedSums[] {
  const folded = new Map<string, NamedSums>()
  for (const row of rows) {
    const name = foldedService(row.name)
    const known = folded.get(name)
    folded.set(name, { ...(known === undefined ? row : add(known, row)), name })
  }
  return [...folded.values()].sort((a, b) => bytesOf(b) - bytesOf(a) || (a.name < b.name ? -1 : 1))
}

export const serviceStats = (row: NamedSums): ServiceStats => ({
  service: row.name,
  totalCacheHitBytes: row.hitBytes,
  totalCacheMissBytes: row.missBytes,
  totalBytes: bytesOf(row),
  cacheHitPercent: percent(row.hitBytes, bytesOf(row)),
  totalDownloads: row.downloads,
  totalRequests: row.requests,
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

function periodStats(rows: NamedSums[], period: Period): DashboardStats['period'] {
  const { hit, miss, downloads } = total(rows)
  return {
    duration: durationOf(period),
    since: period.start === null ? null : utc(period.start),
    bandwidthSaved: hit,
    addedToCache: miss,
    totalServed: hit + miss,
    hitRatio: ratio(hit, hit + miss),
    downloads,
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
  period: periodStats([], period),
  serviceBreakdown: [],
  lastUpdated: now.toISOString(),
})

/** The service with the most bytes; null without any. Rows are sorted by bytes. */
const topOf = (rows: NamedSums[]): string | null =>
  rows.find((row) => bytesOf(row) > 0 && row.name !== otherService)?.name ?? null

type StatsDeps = Pick<DownloadsParts, 'clock' | 'state' | 'names'>

/** Headline figures, totals per service and per client. */
export function createStats(deps: StatsDeps, reports: Reports) {
  const { clock } = deps
  const { read, cached, counted, shown } = reports

  const services = (scope: Scope) =>
    cached('services', scope, () => read((sql) => serviceSums(sql, scope)))

  async function dashboard(scope: Scope, listed: Scope): Promise<DashboardStats> {
    const now = clock.now()
    const { includePrefill, without } = scope
    const [ever, best, rows, shown, uniqueClients, activeDownloads] = await Promise.all([
      read((sql) => allTimeSums(sql, scope)),
      services({ ...scope, period: allTime, eventId: null }),
      services(scope),
      // Clients excluded only from sums still appear in the list of services.
      listed.without.length === without.length ? null : services(listed),
      read((sql) => countClients(sql, scope)),
      read((sql) => countActive(sql, { since: activeSince(now), includePrefill, without })),
    ])
    const all = total(ever)
    const folded = foldServices(shown ?? rows)
    const { hit, miss } = total(folded)
    const period = periodStats(rows, scope.period)
    return {
      totalBandwidthSaved: all.hit,
      totalAddedToCache: all.miss,
      totalServed: all.hit + all.miss,
      cacheHitRatio: ratio(all.hit, all.hit + all.miss),
      activeDownloads,
      uniqueClients,
      topService: topOf(foldServices(best)) ?? 'none',
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
    dashboard: (asked: Scope) => {
      const [scope, listed] = [counted(asked), shown(asked)]
      return cached(`dashboard ${listed.without.join(' ')}`, scope, () => dashboard(scope, listed))
    },
    /** Every service under its log name. */
    services: async (scope: Scope) => (await services(counted(scope))).map(serviceStats),
    /** Services as in the dashboard, with the names of one service merged. */
    foldedServices: async (scope: Scope) =>
      foldServices(await services(counted(scope))).map(serviceStats),
    clients: clientRows(deps, reports),
  }
}

export type Stats = ReturnType<typeof createStats>
