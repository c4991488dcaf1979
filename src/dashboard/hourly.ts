import type { Period } from '../downloads/reports/range.ts'
import type { HourActivity, HourlyActivity } from './model.ts'

const daySeconds = 86_400

export interface HourSums {
  hour: number
  hitBytes: number
  missBytes: number
  downloads: number
}

/** Seconds from UTC in a zone at one moment. */
function offsetSeconds(timeZone: string, at: Date): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(at)
  const part = (type: string) => Number(parts.find((found) => found.type === type)?.value ?? 0)
  const shown = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'))
  return Math.round(shown / 60_000 - Math.floor(at.getTime() / 60_000)) * 60
}

/**
 * True when hours of the zone are whole hours of UTC, in winter and in summer of this year. For
 * other zones (India, Nepal, South Australia) hour rows would be split between two hours.
 */
export function hasWholeHours(timeZone: string, now: Date): boolean {
  const year = now.getUTCFullYear()
  const moments = [new Date(Date.UTC(year, 0, 15)), new Date(Date.UTC(year, 6, 15))]
  return moments.every((at) => offsetSeconds(timeZone, at) % 3600 === 0)
}

/** Days that averages are over: the period, else from the first to the last traffic. */
function daysIn(period: Period, extent: { first: number; last: number } | null, now: number) {
  const start = period.start ?? extent?.first ?? now
  const end = period.end ?? (period.start === null ? extent?.last : now) ?? now
  return Math.max(1, Math.ceil((end - start) / daySeconds))
}

export function hourlyActivityOf(
  sums: HourSums[],
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
