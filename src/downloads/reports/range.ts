/** A range is read from five-minute rows at the edges, and hour and day rows inside. */
export const grainSeconds = { five: 300, hour: 3600, day: 86_400 } as const
export type Grain = keyof typeof grainSeconds

/** Unix seconds, both ends inclusive; null is open. */
export interface Period {
  start: number | null
  end: number | null
}

/** Rows of one grain with `from <= bucket start < until`, Unix seconds; null is open. */
export interface Piece {
  grain: Grain
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

const grains = ['day', 'hour', 'five'] as const

/**
 * Splits a period so that years are read from day rows and only the edges from finer ones. Covers
 * every five-minute bucket that the period touches exactly once. All buckets are UTC, so daylight
 * saving time has no effect.
 */
export function pieces({ start, end }: Period, coarsest: Grain = 'day'): Piece[] {
  const { five } = grainSeconds
  const from = start === null ? null : Math.floor(start / five) * five
  const until = end === null ? null : Math.floor(end / five) * five + five
  const ladder = grains.slice(grains.indexOf(coarsest))
  const widths = ladder.map((grain) => grainSeconds[grain])
  return split({ from, until }, widths).map(({ seconds, ...bounds }) => ({
    grain: ladder[widths.indexOf(seconds)] ?? 'five',
    ...bounds,
  }))
}
