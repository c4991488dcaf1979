import type { SpeedSnapshot } from '../../engines/logs/wire.ts'

/** Bytes per second at one moment, split by origin. */
export interface Sample {
  /** Unix seconds. */
  at: number
  cached: number
  fetched: number
}

/** Half an hour at two snapshots a second. */
export const samplesMax = 3600
/** Without a snapshot for this long the chart shows a gap rather than a line. */
const gapSeconds = 15

/** Splits the total of a snapshot by the share of hits inside its window. */
export function sampleOf(speeds: SpeedSnapshot): Sample {
  let hits = 0
  let misses = 0
  for (const game of speeds.gameSpeeds) {
    hits += game.cacheHitBytes
    misses += game.cacheMissBytes
  }
  const total = speeds.totalBytesPerSecond
  const cached = hits + misses > 0 ? (total * hits) / (hits + misses) : 0
  const at = Date.parse(speeds.timestampUtc) / 1000
  return { at, cached, fetched: total - cached }
}

/** Adds a sample; out-of-order and duplicate ones are dropped, the oldest are evicted. */
export function addSample(samples: readonly Sample[], next: Sample): readonly Sample[] {
  const last = samples.at(-1)
  if (!Number.isFinite(next.at) || (last !== undefined && next.at <= last.at)) return samples
  const kept =
    samples.length >= samplesMax ? samples.slice(samples.length - samplesMax + 1) : samples
  return [...kept, next]
}

/** Own samples with those of the service in place of what it knows as well. */
export function withRecent(own: readonly Sample[], recent: readonly Sample[]): readonly Sample[] {
  const [first, last] = [recent[0], recent.at(-1)]
  if (first === undefined || last === undefined) return own
  const before = own.filter(({ at }) => at < first.at)
  const after = own.filter(({ at }) => at > last.at)
  return [...before, ...recent, ...after].slice(-samplesMax)
}

export type Series = [at: number[], cached: (number | null)[], total: (number | null)[]]

/**
 * The last `seconds` as chart columns. The service sends nothing while idle, so silence after a
 * zero means zero, and silence after a value is a gap.
 */
export function liveSeries(samples: readonly Sample[], now: number, seconds: number): Series {
  const series: Series = [[], [], []]
  const put = (at: number, cached: number | null, total: number | null) => {
    series[0].push(at)
    series[1].push(cached)
    series[2].push(total)
  }
  let before: Sample | undefined
  for (const sample of samples) {
    if (sample.at < now - seconds) {
      before = sample
      continue
    }
    const isAfterSilence = before !== undefined && sample.at - before.at > gapSeconds
    if (before !== undefined && isAfterSilence && before.cached + before.fetched > 0) {
      put(before.at + 0.001, null, null)
    }
    if (before !== undefined && isAfterSilence && before.cached + before.fetched === 0) {
      put(sample.at - 0.5, 0, 0)
    }
    put(sample.at, sample.cached, sample.cached + sample.fetched)
    before = sample
  }
  const isQuiet = before !== undefined && before.cached + before.fetched === 0
  if (isQuiet) put(now, 0, 0)
  return series
}
