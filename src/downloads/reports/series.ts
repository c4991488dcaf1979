import type { Static } from '@sinclair/typebox'
import { AppError } from '../../core/http/errors.ts'
import { Int, Model, Ratio, Utc } from '../../core/http/schema.ts'
import { ratio, utc } from './numbers.ts'
import type { Grain } from './range.ts'
import { hasHoursOnly, type Scope } from './scope.ts'

/** Points per line. */
export const seriesPointsMax = 1000
/** Rows are stored in steps of five minutes, so bucket widths are multiples of it. */
const stepMinutes = 5
const bucketMinutesMax = 10_080
/** Widths in minutes, each with the hours up to which it applies: 60 to 150 points to a line. */
const widths = [
  { minutes: 1, hours: 2.5 },
  { minutes: 2, hours: 5 },
  { minutes: 5, hours: 12.5 },
  { minutes: 10, hours: 25 },
  { minutes: 20, hours: 50 },
  { minutes: 30, hours: 75 },
  { minutes: 60, hours: 150 },
  { minutes: 120, hours: 300 },
  { minutes: 180, hours: 450 },
  { minutes: 360, hours: 900 },
  { minutes: 720, hours: 1800 },
  { minutes: 1440, hours: 3600 },
  { minutes: 2880, hours: 7200 },
  { minutes: 4320, hours: 10_800 },
] as const

/** The least width in minutes of a line that begins at `first`: an hour where only hours are kept. */
export const finestMinutes = (scope: Scope, first: number, finest = stepMinutes): number =>
  hasHoursOnly(scope, first) ? 60 : finest

/** The width for a line over this many seconds, at least `finest`, in minutes. */
export const suitableMinutes = (seconds: number, finest = stepMinutes): number =>
  Math.max(finest, widths.find(({ hours }) => seconds <= hours * 3600)?.minutes ?? bucketMinutesMax)

export const BytesTotals = Model('BytesTotals', {
  hitBytes: Int,
  missBytes: Int,
  servedBytes: Int,
  /** 0 to 1. */
  cacheHitRatio: Ratio,
  downloads: Int,
})
export type BytesTotals = Static<typeof BytesTotals>

export const SeriesPoint = Model('SeriesPoint', {
  /** Start of the bucket. */
  startTimeUtc: Utc,
  hitBytes: Int,
  missBytes: Int,
  servedBytes: Int,
})
export type SeriesPoint = Static<typeof SeriesPoint>

/** Bytes of one bucket; `at` in Unix seconds or in seconds since a start. */
export interface BucketSums {
  at: number
  hitBytes: number
  missBytes: number
}

export const bytesTotals = (row: {
  hitBytes: number
  missBytes: number
  downloads: number
}): BytesTotals => ({
  hitBytes: row.hitBytes,
  missBytes: row.missBytes,
  servedBytes: row.hitBytes + row.missBytes,
  cacheHitRatio: ratio(row.hitBytes, row.hitBytes + row.missBytes),
  downloads: row.downloads,
})

/**
 * A line's bucket width over this many seconds: the requested one, or a suitable one, at least `finest`.
 * Throws `invalid` for widths that are not a multiple of five minutes, and for too many points.
 */
export function bucketMinutesOf(
  asked: number | undefined,
  seconds: number,
  finest = stepMinutes,
): number {
  if (asked === undefined) return suitableMinutes(seconds, finest)
  if (asked < stepMinutes || asked > bucketMinutesMax || asked % stepMinutes !== 0) {
    const text = `bucketMinutes is a multiple of ${stepMinutes} up to ${bucketMinutesMax}`
    throw new AppError('invalid', text)
  }
  if (seconds / (asked * 60) > seriesPointsMax) {
    const text = `A line has at most ${seriesPointsMax} points: ask for wider buckets or less time`
    throw new AppError('invalid', text)
  }
  return Math.max(asked, finest)
}

/** The widest rows that add up to buckets of this width. */
export function coarsestFor(bucketMinutes: number): Grain {
  if (bucketMinutes % 1440 === 0) return 'day'
  return bucketMinutes % 60 === 0 ? 'hour' : 'five'
}

/** Merges buckets into wider ones, oldest first. */
export function widerBuckets(points: readonly BucketSums[], seconds: number): BucketSums[] {
  const wider: BucketSums[] = []
  for (const { at, hitBytes, missBytes } of points) {
    const start = Math.floor(at / seconds) * seconds
    const last = wider.at(-1)
    if (last?.at === start) {
      last.hitBytes += hitBytes
      last.missBytes += missBytes
    } else {
      wider.push({ at: start, hitBytes, missBytes })
    }
  }
  return wider
}

/** All buckets from `first` to `last` (both are starts), with zeros where there is no traffic. */
export function filledBuckets(
  points: readonly BucketSums[],
  { first, last, seconds }: { first: number; last: number; seconds: number },
): BucketSums[] {
  const byStart = new Map(points.map((point) => [point.at, point]))
  const filled: BucketSums[] = []
  for (let at = first; at <= last && filled.length <= seriesPointsMax; at += seconds) {
    filled.push(byStart.get(at) ?? { at, hitBytes: 0, missBytes: 0 })
  }
  return filled
}

export const seriesPoint = ({ at, hitBytes, missBytes }: BucketSums): SeriesPoint => ({
  startTimeUtc: utc(at),
  hitBytes,
  missBytes,
  servedBytes: hitBytes + missBytes,
})
