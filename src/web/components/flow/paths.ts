export type Point = readonly [x: number, y: number]

const at = ([x, y]: Point) => `${Math.round(x * 10) / 10},${Math.round(y * 10) / 10}`

/** Runs of consecutive points; a missing value separates them. */
export function runsOf(points: readonly (Point | null)[]): Point[][] {
  const runs: Point[][] = []
  let open: Point[] | null = null
  for (const point of points) {
    if (point === null) open = null
    else if (open === null) runs.push((open = [point]))
    else open.push(point)
  }
  return runs
}

export const linePath = (runs: readonly Point[][]): string =>
  runs.map((run) => (run.length === 0 ? '' : `M${run.map(at).join('L')}`)).join('')

/** The same lines, filled down to the baseline. */
export const areaPath = (runs: readonly Point[][], ground: number): string =>
  runs
    .map((run) => {
      const [first, last] = [run[0], run.at(-1)]
      if (first === undefined || last === undefined) return ''
      return `M${at([first[0], ground])}L${run.map(at).join('L')}L${at([last[0], ground])}Z`
    })
    .join('')

/** Between a name and the next one, pixels. */
const nameGap = 6

/**
 * Widths for the names above spans, which are in order of their left edges: a name ends before the next
 * one begins, and is left out (0) where it would have less than `least`.
 */
export function nameWidths(
  spans: readonly { left: number; width: number }[],
  least: number,
): number[] {
  const widths = spans.map(() => 0)
  let last = -1
  for (const [index, { left, width }] of spans.entries()) {
    const before = spans[last]
    if (width < least || (before !== undefined && left < before.left + least + nameGap)) continue
    if (before !== undefined) widths[last] = Math.min(before.width, left - before.left - nameGap)
    widths[index] = width
    last = index
  }
  return widths
}

/** Index of the value nearest to `wanted` in an ascending list; null when it is empty. */
export function nearest(values: readonly number[], wanted: number): number | null {
  if (values.length === 0) return null
  let low = 0
  let high = values.length - 1
  while (low < high) {
    const middle = (low + high) >> 1
    if ((values[middle] ?? 0) < wanted) low = middle + 1
    else high = middle
  }
  const before = Math.max(0, low - 1)
  const isBefore = wanted - (values[before] ?? 0) < (values[low] ?? 0) - wanted
  return isBefore ? before : low
}
