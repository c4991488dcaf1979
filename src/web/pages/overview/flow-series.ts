import type { Sparklines } from '../../api/queries.ts'
import type { Sample, Series } from '../../live/samples.ts'

/** A sample is valid for at most this long; the service sends one every half second. */
const sampleSecondsMax = 2
/** Live points per bucket of the history. */
const pointsPerBucket = 4
/**
 * A point needs samples for this share of its window, so that one busy second does not become a
 * peak.
 */
const knownShareMin = 0.2

/** Means of the live samples over equal windows from `start`; silence counts as zero. */
function liveMeans(samples: readonly Sample[], start: number, width: number, now: number) {
  const first = samples[0]?.at
  if (first === undefined) return []
  const means: Sample[] = []
  for (let from = start; from < now; from += width) {
    const known = Math.min(now, from + width) - Math.max(from, first)
    if (known < width * knownShareMin) continue
    const mean: Sample = { at: from + width / 2, cached: 0, fetched: 0 }
    for (const [index, { at, cached, fetched }] of samples.entries()) {
      if (at < from || at >= from + width) continue
      const next = samples[index + 1]?.at ?? now
      const weight = Math.min(sampleSecondsMax, next - at) / known
      mean.cached += cached * weight
      mean.fetched += fetched * weight
    }
    mean.at = Math.min(mean.at, now)
    means.push(mean)
  }
  return means
}

/** Wider gaps, in buckets, were silence. */
const gapBuckets = 1.5

/** Fills in zeros before the first and after the last traffic, which the service leaves out. */
function withSilence(
  [ats, cached, total]: Series,
  from: number,
  to: number,
  width: number,
): Series {
  const series: Series = [[], [], []]
  const put = (at: number, hit: number | null, all: number | null) => {
    series[0].push(at)
    series[1].push(hit)
    series[2].push(all)
  }
  let before: number | null = null
  const silence = (until: number | null) => {
    const start: number = before === null ? from : before + width
    const stop = until === null ? to : until - width
    const wide = (until ?? to) - (before ?? from) > width * gapBuckets
    if (wide && start < stop) for (const at of [start, stop]) put(at, 0, 0)
  }
  for (const [index, at] of ats.entries()) {
    silence(at)
    put(at, cached[index] ?? null, total[index] ?? null)
    before = at
  }
  if (before !== null) silence(null)
  return series
}

/** What a point stands for: the mean of its bucket, or the bucket's busiest window. */
export type Point = 'average' | 'peak'

/** Bytes per bucket, and the seconds in which they were served. */
function bytesOf({ bandwidthSaved, addedToCache, bucketMinutes, peaks }: Sparklines, point: Point) {
  return point === 'average'
    ? { hit: bandwidthSaved.data, miss: addedToCache.data, seconds: bucketMinutes * 60 }
    : { hit: peaks.hitBytes, miss: peaks.missBytes, seconds: peaks.minutes * 60 }
}

/**
 * Bytes per bucket as bytes per second at the middle of each bucket, of the running one over the time
 * until now, then what was seen live since (`now` in Unix seconds), as calm as the history before it. `from` is where the range begins.
 */
export function flowSeries(
  sparklines: Sparklines,
  samples: readonly Sample[],
  now: number,
  { from = null, point = 'average' }: { from?: number | null; point?: Point } = {},
): Series {
  const bytes = bytesOf(sparklines, point)
  const series: Series = [[], [], []]
  const seconds = sparklines.bucketMinutes * 60
  const put = (at: number, cached: number, fetched: number) => {
    series[0].push(at)
    series[1].push(cached)
    series[2].push(cached + fetched)
  }
  let end: number | null = null
  for (const [index, start] of sparklines.bucketStarts.entries()) {
    const known = Math.min(seconds, now - start)
    // What is seen live from the start of the running bucket on tells more than its mean.
    const isSeen = known < seconds && (samples[0]?.at ?? now) <= start
    if (isSeen || known < seconds * knownShareMin) break
    const time = Math.min(bytes.seconds, known)
    put(start + known / 2, (bytes.hit[index] ?? 0) / time, (bytes.miss[index] ?? 0) / time)
    end = start + seconds
  }
  const width = seconds / pointsPerBucket
  const oldest = samples[0]?.at ?? now
  // The history may end long before the page was opened: start at the first sample's window.
  const skipped = end === null ? 0 : Math.max(0, Math.floor((oldest - end) / width))
  const tailStart = end === null ? Math.floor(oldest / width) * width : end + skipped * width
  for (const { at, cached, fetched } of liveMeans(samples, tailStart, width, now)) {
    if (at > (series[0].at(-1) ?? 0)) put(at, cached, fetched)
  }
  return withSilence(series, from ?? series[0][0] ?? now, now, seconds)
}

/** Values after it are of a bucket that is not over; buckets are aligned in UTC. */
export const openAfter = (now: number, bucketSeconds: number): number =>
  now - (now % bucketSeconds) - bucketSeconds / 2

/**
 * Ends of the x axis, Unix seconds. The range may begin or end within a bucket: the first bucket is
 * drawn completely, and an incomplete one leaves no gap at the end.
 */
export function spanOf(
  [ats]: Series,
  range: { from: number | null; to: number; bucketSeconds: number },
): { from: number; to: number } {
  const first = ats[0] ?? range.to
  const last = ats.at(-1) ?? range.to
  return {
    from: Math.min(range.from ?? first, first),
    to: Math.min(range.to, last + range.bucketSeconds / 2),
  }
}
