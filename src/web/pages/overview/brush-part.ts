/** A selected part of a time axis, in the order in which it was drawn; Unix seconds. */
export interface Part {
  anchor: number
  end: number
}

const minute = 60
/** As fine as the history counts. */
const shortest = 300

/** The part as a range in whole minutes, at least as long as the finest bucket. */
export function brushed({ anchor, end }: Part): { from: number; to: number } {
  const from = Math.floor(Math.min(anchor, end) / minute) * minute
  const to = Math.ceil(Math.max(anchor, end) / minute) * minute
  return { from, to: Math.max(to, from + shortest) }
}

/** Where a key leads in a list of `count` moments; null for keys that do not move. */
export function keyStep(key: string, index: number, count: number): number | null {
  const far = Math.max(1, Math.round(count / 10))
  const steps: Record<string, number> = {
    ArrowLeft: index - 1,
    ArrowRight: index + 1,
    PageUp: index - far,
    PageDown: index + far,
    Home: 0,
    End: count - 1,
  }
  const next = steps[key]
  return next === undefined || count === 0 ? null : Math.min(count - 1, Math.max(0, next))
}
