/** A range is read from five-minute rows at the edges, and hour and day rows inside. */
export const grainSeconds = { five: 300, hour: 3600, day: 86_400 } as const
export type Grain = keyof typeof grainSeconds

/** Unix seconds, both ends inclusive; null is open. */
export interface Period {
  start: number | null
  end: number | null
}

/** Blocks of 64 days since 1970, for rows that are only summed. */
export const blockSeconds = 64 * grainSeconds.day
export type SumGrain = Grain | 'block'

/** Blocks of 8 days since 1970 of which the hours of the day are summed. */
export const hourBlockSeconds = 8 * grainSeconds.day

/** Rows of one grain with `from <= bucket start < until`, Unix seconds; null is open. */
export interface GrainSpan<Of extends SumGrain = Grain> {
  grain: Of
  from: number | null
  until: number | null
}

export const allTime: Period = { start: null, end: null }

export interface Bounds {
  from: number | null
  until: number | null
}

/**
 * Splits a span into rows of the given widths, widest first: the widest inside, finer ones at the
 * edges. A final null width means rows that start anywhere.
 */
export function split<Width extends number | null>(
  { from, until }: Bounds,
  ladder: readonly Width[],
): (Bounds & { seconds: Width })[] {
  const [seconds, ...finer] = ladder
  if (seconds === undefined || (from !== null && until !== null && from >= until)) return []
  if (seconds === null || finer.length === 0) return [{ seconds, from, until }]
  const innerFrom = from === null ? null : Math.ceil(from / seconds) * seconds
  const innerUntil = until === null ? null : Math.floor(until / seconds) * seconds
  const isHollow = innerFrom !== null && innerUntil !== null && innerFrom >= innerUntil
  if (isHollow) return split({ from, until }, finer)
  return [
    ...(innerFrom === null ? [] : split({ from, until: innerFrom }, finer)),
    { seconds, from: innerFrom, until: innerUntil },
    ...(innerUntil === null ? [] : split({ from: innerUntil, until }, finer)),
  ]
}

const { five } = grainSeconds

/** The buckets of five minutes that a period touches, from the first's start to the last's end. */
export const touched = ({ start, end }: Period): Bounds => ({
  from: start === null ? null : Math.floor(start / five) * five,
  until: end === null ? null : Math.floor(end / five) * five + five,
})

/** The parts of a period at its ends that are less than a bucket of five minutes; at most two. */
export function edges({ start, end }: Period): Bounds[] {
  const until = end === null ? null : end + 1
  const first = start === null ? null : Math.ceil(start / five) * five
  const last = until === null ? null : Math.floor(until / five) * five
  if (first !== null && last !== null && first > last) return [{ from: start, until }]
  const parts = [
    { from: start, until: first },
    { from: last, until },
  ]
  return parts.filter((part) => part.from !== part.until)
}

const grains = ['day', 'hour', 'five'] as const

/**
 * The period in whole hours where it is older than `since`: nothing finer is kept of that time. Null
 * keeps everything.
 */
export function inKeptRows({ start, end }: Period, since: number | null): Period {
  const { hour } = grainSeconds
  if (since === null) return { start, end }
  return {
    start: start === null || start >= since ? start : Math.floor(start / hour) * hour,
    end: end === null || end >= since ? end : Math.ceil((end + 1) / hour) * hour - 1,
  }
}

/**
 * Splits a period so that years are read from day rows and only the edges from finer ones: a day or
 * an hour that the period covers in part is read as buckets of five minutes. Covers every such bucket
 * that the period touches exactly once. All buckets are UTC, so daylight saving time has no effect.
 * Five-minute rows older than `since` are not kept: those of hours are read.
 */
export function grainSpans(
  period: Period,
  coarsest: Grain = 'day',
  since: number | null = null,
): GrainSpan[] {
  if (coarsest === 'five' && since !== null && (period.start ?? since - 1) < since) {
    const old = { start: period.start, end: Math.min(since - 1, period.end ?? since) }
    const isOver = period.end !== null && period.end < since
    const kept = isOver ? [] : grainSpans({ start: since, end: period.end }, 'five')
    return [...grainSpans(old, 'hour'), ...kept]
  }
  const ladder = grains.slice(grains.indexOf(coarsest))
  const widths = ladder.map((grain) => grainSeconds[grain])
  const until = period.end === null ? null : period.end + 1
  return split({ from: period.start, until }, widths).map(({ seconds, ...bounds }) => ({
    grain: ladder[widths.indexOf(seconds)] ?? 'five',
    from: bounds.from === null ? null : Math.floor(bounds.from / five) * five,
    until: bounds.until === null ? null : Math.ceil(bounds.until / five) * five,
  }))
}

/** The same for sums, which need no days: the middle of years is read from blocks. */
export const sumSpans = (period: Period, since: number | null = null): GrainSpan<SumGrain>[] =>
  grainSpans(period, 'day', since).flatMap((span): GrainSpan<SumGrain>[] => {
    if (span.grain !== 'day') return [span]
    return split(span, [blockSeconds, grainSeconds.day]).map(({ seconds, ...bounds }) => ({
      grain: seconds === blockSeconds ? 'block' : 'day',
      ...bounds,
    }))
  })
