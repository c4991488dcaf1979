import { cacheInfo } from '../../cache/contract.ts'
import { version } from '../../core/lib/version.ts'
import {
  clientSums,
  everything,
  focusHours,
  foldServices,
  hasWholeHours,
  ratio,
  scopeOf,
  serviceSums,
  type Scope,
} from '../../downloads/contract.ts'
import type { SystemParts } from '../parts.ts'
import type { MetricName, Reading } from './families.ts'
import { eventSums } from './store.ts'

const daySeconds = 86_400
const weekSeconds = 7 * daySeconds
/** Clients with figures. */
const clientsMax = 10
/** Changes of the cache's size within this many percent are no trend. */
const deadBandPercent = 5
export type MetricsParts = Pick<
  SystemParts,
  'cache' | 'clock' | 'config' | 'disk' | 'reports' | 'games' | 'snapshots'
>

/** One figure. */
export const reading = (name: MetricName, value: number, labels?: Reading['labels']): Reading => ({
  name,
  value,
  ...(labels && { labels }),
})

export interface Sums {
  hitBytes: number
  missBytes: number
  downloads: number
}

export const totalOf = ({ hitBytes, missBytes }: Sums) => hitBytes + missBytes
export const hitRatioOf = (sums: Sums) => ratio(sums.hitBytes, totalOf(sums))

/** Part of the day of an hour, 0 to 23. */
export function partOfDay(hour: number): string {
  if (hour >= 5 && hour <= 11) return 'Morning'
  if (hour >= 12 && hour <= 16) return 'Afternoon'
  return hour >= 17 && hour <= 20 ? 'Evening' : 'Night'
}

/** The process itself; always available. */
export function processReadings({ clock }: Pick<MetricsParts, 'clock'>): Reading[] {
  const nowSeconds = clock.now().getTime() / 1000
  const { user, system } = process.cpuUsage()
  return [
    reading('lancache_info', 1, { version }),
    reading('lancache_uptime_seconds', process.uptime()),
    reading('lancache_last_update_timestamp', nowSeconds),
    reading('process_resident_memory_bytes', process.memoryUsage.rss()),
    reading('process_cpu_seconds_total', (user + system) / 1e6),
    reading('process_start_time_seconds', Math.round(Date.now() / 1000 - process.uptime())),
  ]
}

/** Capacity, used and free bytes; none while the disk is away. */
export async function diskReadings(parts: MetricsParts): Promise<Reading[]> {
  const { driveState, totalCacheSize, usedCacheSize, freeCacheSize } = await cacheInfo(parts)
  if (driveState !== 'ok') return []
  return [
    reading('lancache_cache_capacity_bytes', totalCacheSize),
    reading('lancache_cache_used_bytes', usedCacheSize),
    reading('lancache_cache_free_bytes', freeCacheSize),
    reading('lancache_cache_usage_ratio', ratio(usedCacheSize, totalCacheSize)),
  ]
}

/** Growth from the recorded sizes; what they are too few for is absent. */
export async function growthReadings({ clock, snapshots }: MetricsParts): Promise<Reading[]> {
  const now = Math.floor(clock.now().getTime() / 1000)
  const week = scopeOf({ startTime: now - weekSeconds, endTime: now })
  const [{ growthBytesPerDay, daysUntilFull }, sizes] = await Promise.all([
    snapshots.forecast(),
    snapshots.period(week),
  ])
  const percent = ratio(sizes.endUsedSize - sizes.startUsedSize, sizes.startUsedSize) * 100
  const trend = Math.abs(percent) <= deadBandPercent ? 0 : Math.sign(percent)
  const read: Reading[] = []
  if (growthBytesPerDay !== null)
    read.push(reading('lancache_cache_growth_daily_bytes', growthBytesPerDay))
  if (sizes.hasData) {
    read.push(reading('lancache_cache_growth_percent_change', percent))
    read.push(reading('lancache_cache_growth_trend', trend))
  }
  if (daysUntilFull !== null)
    read.push(reading('lancache_cache_until_full_seconds', daysUntilFull * daySeconds))
  return read
}

/** All-time sums by service, under the names of the dashboard in lower case, and together. */
async function servedIn({ reports }: MetricsParts, scope: Scope) {
  const rows = foldServices(await reports.read((sql) => serviceSums(sql, scope)))
  const byService = rows.map((row) => ({ ...row, labels: { service: row.name.toLowerCase() } }))
  const all = { hitBytes: 0, missBytes: 0, downloads: 0 }
  for (const { hitBytes, missBytes, downloads } of byService) {
    all.hitBytes += hitBytes
    all.missBytes += missBytes
    all.downloads += downloads
  }
  return { byService, all }
}

/**
 * All-time sums, together and by service and client. Counters count what was served to all clients:
 * if they fell when a client is excluded, `rate()` would take it as a restart. Excluded clients are
 * only left out of the gauges, and have no counters of their own.
 */
export async function trafficReadings(parts: MetricsParts, scope: Scope): Promise<Reading[]> {
  const options = { limit: clientsMax, merged: [] }
  const [served, counted, clients] = await Promise.all([
    servedIn(parts, { ...scope, without: [] }),
    servedIn(parts, scope),
    parts.reports.read((sql) => clientSums(sql, scope, options)),
  ])
  return [
    reading('lancache_downloads_total', served.all.downloads),
    reading('lancache_bytes_served_total', totalOf(served.all)),
    reading('lancache_cache_hit_bytes_total', served.all.hitBytes),
    reading('lancache_cache_miss_bytes_total', served.all.missBytes),
    reading('lancache_cache_hit_ratio', hitRatioOf(counted.all)),
    reading(
      'lancache_download_size_average_bytes',
      ratio(totalOf(counted.all), counted.all.downloads),
    ),
    ...served.byService.flatMap((row) => [
      reading('lancache_service_bytes_total', totalOf(row), row.labels),
      reading('lancache_service_hit_bytes_total', row.hitBytes, row.labels),
      reading('lancache_service_miss_bytes_total', row.missBytes, row.labels),
      reading('lancache_service_downloads_total', row.downloads, row.labels),
    ]),
    ...counted.byService.map((row) =>
      reading('lancache_service_hit_ratio', hitRatioOf(row), row.labels),
    ),
    ...clients.flatMap((row) => [
      reading('lancache_client_bytes_total', totalOf(row), { client: row.name }),
      reading('lancache_client_downloads_total', row.downloads, { client: row.name }),
    ]),
  ]
}

/** Hours of the day over the last week, in the service's time zone. */
export async function hourReadings(
  { clock, config, reports }: MetricsParts,
  scope: Scope,
): Promise<Reading[]> {
  const { timeZone } = config
  const now = clock.now()
  const end = Math.floor(now.getTime() / 1000)
  const week = { ...scope, period: { start: end - weekSeconds, end } }
  const isWholeHours = hasWholeHours(timeZone, now)
  const options = { focus: everything, timeZone, isWholeHours }
  const sums = await reports.read((sql) => focusHours(sql, week, options))
  const hours = Array.from({ length: 24 }, (_, hour) => {
    const row = sums.find((found) => found.hour === hour)
    return { downloads: row?.downloads ?? 0, bytes: row === undefined ? 0 : totalOf(row) }
  })
  const bytesMax = Math.max(...hours.map(({ bytes }) => bytes))
  const peak = hours.findIndex(({ bytes }) => bytes === bytesMax)
  const hourFormat = new Intl.DateTimeFormat('en', { timeZone, hour: 'numeric', hourCycle: 'h23' })
  const current = Number(hourFormat.format(now))
  return [
    reading('lancache_peak_hour', peak),
    reading('lancache_peak_hour_downloads', hours[peak]?.downloads ?? 0),
    reading('lancache_current_hour_downloads', hours[current]?.downloads ?? 0),
    reading('lancache_peak_time_of_day', 1, { period: partOfDay(peak) }),
    ...hours.flatMap(({ downloads, bytes }, hour) => {
      const labels = { hour: String(hour).padStart(2, '0') }
      return [
        reading('lancache_hourly_downloads', downloads, labels),
        reading('lancache_hourly_bytes', bytes, labels),
      ]
    }),
  ]
}

export async function eventReadings({ reports }: MetricsParts, scope: Scope): Promise<Reading[]> {
  const events = await reports.read((sql) => eventSums(sql, scope))
  return events.flatMap((row) => {
    const labels = { event: row.name, event_id: String(row.id) }
    return [
      reading('lancache_event_bytes', totalOf(row), labels),
      reading('lancache_event_cache_hit_bytes', row.hitBytes, labels),
      reading('lancache_event_downloads', row.downloads, labels),
      reading('lancache_event_cache_hit_ratio', hitRatioOf(row), labels),
    ]
  })
}
