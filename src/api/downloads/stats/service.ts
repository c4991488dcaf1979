import type { Deps } from '../../../deps.ts'
import { activeSince } from '../reports/active.ts'
import { foldedService, percent, ratio, utc } from '../reports/numbers.ts'
import type { Period } from '../reports/range.ts'
import type { Reports } from '../reports/reports.ts'
import type { Scope } from '../reports/scope.ts'
import type { NamedSums, Sums } from '../reports/traffic.ts'
import type { ClientStats, DashboardStats, ServiceStats } from './model.ts'
import { allTimeSums, clientSums, countActive, countClients, serviceSums } from './store.ts'

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

/** Puts the names of one service together; most bytes first. */
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

export function clientStats(row: NamedSums): ClientStats {
  const seconds = Math.max(0, row.lastAt - row.firstAt)
  return {
    clientIp: row.name,
    displayName: null,
    groupId: null,
    isGrouped: false,
    groupMemberIps: null,
    totalCacheHitBytes: row.hitBytes,
    totalCacheMissBytes: row.missBytes,
    totalBytes: bytesOf(row),
    cacheHitPercent: percent(row.hitBytes, bytesOf(row)),
    totalDownloads: row.downloads,
    totalDurationSeconds: seconds,
    averageBytesPerSecond: seconds === 0 ? 0 : bytesOf(row) / seconds,
    lastActivityUtc: utc(row.lastAt),
  }
}

/** Words for a period: `all`, `<n>h` up to a day, `<n>d`, `since <day>`, `until <day>`. */
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

/** Headline figures, totals per service and per client. */
export function createStats({ clock }: Pick<Deps, 'clock'>, reports: Reports) {
  const { read } = reports

  async function dashboard(scope: Scope): Promise<DashboardStats> {
    const now = clock.now()
    const { includePrefill } = scope
    const [ever, rows, uniqueClients, activeDownloads] = await Promise.all([
      read((sql) => allTimeSums(sql, includePrefill)),
      read((sql) => serviceSums(sql, scope)),
      read((sql) => countClients(sql, scope)),
      read((sql) => countActive(sql, { since: activeSince(now), includePrefill })),
    ])
    const all = total(ever)
    const services = foldServices(rows)
    const period = periodStats(rows, scope.period)
    return {
      totalBandwidthSaved: all.hit,
      totalAddedToCache: all.miss,
      totalServed: all.hit + all.miss,
      cacheHitRatio: ratio(all.hit, all.hit + all.miss),
      activeDownloads,
      uniqueClients,
      topService: services.find((row) => bytesOf(row) > 0)?.name ?? 'none',
      period,
      serviceBreakdown: services.map((row) => ({
        service: row.name,
        bytes: bytesOf(row),
        percentage: percent(bytesOf(row), period.totalServed),
      })),
      lastUpdated: now.toISOString(),
    }
  }

  return {
    dashboard: (scope: Scope) => reports.cached('dashboard', scope, () => dashboard(scope)),
    /** Every service under the name the log gave it. */
    services: (scope: Scope) =>
      reports.cached('services', scope, async () => {
        const rows = await read((sql) => serviceSums(sql, scope))
        return rows.map(serviceStats)
      }),
    /** Services as the dashboard shows them: names of one service put together. */
    foldedServices: (scope: Scope) =>
      reports.cached('foldedServices', scope, async () => {
        const rows = await read((sql) => serviceSums(sql, scope))
        return foldServices(rows).map(serviceStats)
      }),
    clients: (scope: Scope, limit: number) =>
      reports.cached(`clients ${limit}`, scope, async () => {
        const { rows, clients } = await read((sql) => clientSums(sql, scope, limit))
        return { rows: rows.map(clientStats), clients }
      }),
  }
}

export type Stats = ReturnType<typeof createStats>
