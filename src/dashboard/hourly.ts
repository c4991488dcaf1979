import type { HourOfDaySums, Period } from '../downloads/contract.ts'
import type { HourActivity, HourlyActivity } from './model.ts'

const daySeconds = 86_400

/** Days to average over: the period, else from the first to the last traffic. */
function daysIn(period: Period, extent: { first: number; last: number } | null, now: number) {
  const start = period.start ?? extent?.first ?? now
  const end = period.end ?? (period.start === null ? extent?.last : now) ?? now
  return Math.max(1, Math.ceil((end - start) / daySeconds))
}

export function hourlyActivityOf(
  sums: HourOfDaySums[],
  options: {
    period: Period
    extent: { first: number; last: number } | null
    now: number
    timeZone: string
  },
): HourlyActivity {
  const { period, extent, now, timeZone } = options
  const daysInPeriod = daysIn(period, extent, now)
  const byHour = new Map(sums.map((row) => [row.hour, row]))
  const hours = Array.from({ length: 24 }, (_, hour): HourActivity => {
    const row = byHour.get(hour) ?? { hour, hitBytes: 0, missBytes: 0, downloads: 0 }
    const bytesServed = row.hitBytes + row.missBytes
    return {
      hour,
      downloads: row.downloads,
      avgDownloads: Math.round((row.downloads * 10) / daysInPeriod) / 10,
      bytesServed,
      avgBytesServed: Math.round(bytesServed / daysInPeriod),
      cacheHitBytes: row.hitBytes,
      cacheMissBytes: row.missBytes,
    }
  })
  const most = Math.max(...hours.map(({ bytesServed }) => bytesServed))
  return {
    hours,
    peakHour: hours.findIndex(({ bytesServed }) => bytesServed === most),
    totalDownloads: hours.reduce((sum, { downloads }) => sum + downloads, 0),
    totalBytesServed: hours.reduce((sum, { bytesServed }) => sum + bytesServed, 0),
    daysInPeriod,
    periodStart: period.start,
    periodEnd: period.end,
    period: period.start === null && period.end === null ? 'all' : 'filtered',
    timeZone,
  }
}
