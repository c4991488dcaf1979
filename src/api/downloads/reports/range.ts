/** Five-minute rows at the edges, hours and days inside: what a range is read from. */
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

const finer = { day: 'hour', hour: 'five' } as const

function split(from: number | null, until: number | null, grain: Grain): Piece[] {
  if (from !== null && until !== null && from >= until) return []
  if (grain === 'five') return [{ grain, from, until }]
  const seconds = grainSeconds[grain]
  const innerFrom = from === null ? null : Math.ceil(from / seconds) * seconds
  const innerUntil = until === null ? null : Math.floor(until / seconds) * seconds
  const isHollow = innerFrom !== null && innerUntil !== null && innerFrom >= innerUntil
  if (isHollow) return split(from, until, finer[grain])
  return [
    ...(innerFrom === null ? [] : split(from, innerFrom, finer[grain])),
    { grain, from: innerFrom, until: innerUntil },
    ...(innerUntil === null ? [] : split(innerUntil, until, finer[grain])),
  ]
}

/**
 * Takes a period apart so that years are read from day rows and only the edges from finer ones.
 * Every five-minute bucket that the period touches belongs to it, exactly once. All buckets are
 * UTC, so that the clock changes of a time zone play no part.
 */
export function pieces({ start, end }: Period, coarsest: Grain = 'day'): Piece[] {
  const { five } = grainSeconds
  const from = start === null ? null : Math.floor(start / five) * five
  const until = end === null ? null : Math.floor(end / five) * five + five
  return split(from, until, coarsest)
}
