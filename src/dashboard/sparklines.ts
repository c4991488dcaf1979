import { type Period, ratio } from '../downloads/contract.ts'
import type { Sparkline, Sparklines } from './model.ts'

/** Points per line; older ones are dropped. */
export const pointsMax = 1000

export interface SparkPoint {
  /** Unix seconds. */
  at: number
  hitBytes: number
  missBytes: number
  /** Of its busiest window. */
  peakHitBytes: number
  peakMissBytes: number
}

const silence = { hitBytes: 0, missBytes: 0, peakHitBytes: 0, peakMissBytes: 0 }

const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

/** Relative change that counts as stable; for ratios the absolute difference. */
const stableShare = 0.05
const stableRatio = 0.02

/**
 * Direction of the newest points compared with earlier ones. `values` ends with the last traffic.
 */
export function trendOf(values: number[], isRatio: boolean): Sparkline['trend'] {
  if (values.length < 2) return 'stable'
  const width = values.length >= 4 ? Math.min(3, Math.floor(values.length / 2)) : 1
  const recent = mean(values.slice(-width))
  const before =
    values.length >= 4 ? mean(values.slice(-2 * width, -width)) : mean(values.slice(0, 1))
  const difference = recent - before
  const limit = isRatio ? stableRatio : stableShare * before
  if (Math.abs(difference) <= limit) return 'stable'
  return difference > 0 ? 'up' : 'down'
}

export const emptySparklines = (period: Period): Sparklines => sparklinesOf([], { period, now: 0 })

/**
 * Lines over the buckets from the first to the last traffic; gaps are zero. The last bucket may still
 * grow: it has a point, and no say in the trend.
 */
export function sparklinesOf(
  points: SparkPoint[],
  options: { period: Period; now: number; bucketMinutes?: number; peakMinutes?: number },
): Sparklines {
  const { period, now, bucketMinutes = 5, peakMinutes = bucketMinutes } = options
  const width = bucketMinutes * 60
  const byStart = new Map(points.map((point) => [point.at, point]))
  const starts: number[] = []
  const first = points[0]?.at
  const last = points.at(-1)?.at
  if (first !== undefined && last !== undefined) {
    const oldest = Math.max(first, last - pointsMax * width)
    for (let at = oldest; at <= last; at += width) starts.push(at)
    starts.splice(0, starts.length - pointsMax)
  }
  const filled = starts.map((at) => byStart.get(at) ?? { at, ...silence })
  const served = filled.map(({ hitBytes, missBytes }) => hitBytes + missBytes)
  const closed = starts.filter((at) => at + width <= now).length
  const lastTraffic = served.slice(0, closed).findLastIndex((bytes) => bytes > 0)
  const line = (data: number[], isRatio = false): Sparkline => ({
    data,
    trend: trendOf(data.slice(0, lastTraffic + 1), isRatio),
  })
  return {
    bandwidthSaved: line(filled.map(({ hitBytes }) => hitBytes)),
    cacheHitRatio: line(
      filled.map(({ hitBytes, missBytes }) => ratio(hitBytes, hitBytes + missBytes)),
      true,
    ),
    totalServed: line(served),
    addedToCache: line(filled.map(({ missBytes }) => missBytes)),
    period: period.start === null && period.end === null ? 'all' : 'filtered',
    bucketMinutes,
    bucketStarts: starts,
    peaks: {
      minutes: peakMinutes,
      hitBytes: filled.map(({ peakHitBytes }) => peakHitBytes),
      missBytes: filled.map(({ peakMissBytes }) => peakMissBytes),
    },
  }
}
