/** One measured size. */
export interface SizePoint {
  /** Unix seconds. */
  at: number
  usedBytes: number
}

export interface Growth {
  bytesPerDay: number
  /** The points it was computed from. */
  points: SizePoint[]
}

const daySeconds = 86_400
/** A shorter history reflects one evening rather than the days to come. */
const spanSecondsMin = daySeconds
const pointsMin = 6
/** Points compared pairwise; more are merged first. */
const comparedMax = 120
/** A drop by this share between two points is a clean-up, not a trend. */
const cleanUpShare = 0.1

const median = (values: number[]): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? 0
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2
}

/** Only points after the last clean-up show how the cache grows. */
function sinceCleanUp(points: SizePoint[]): SizePoint[] {
  const at = points.findLastIndex((point, index) => {
    const before = points[index - 1]
    return before !== undefined && point.usedBytes < before.usedBytes * (1 - cleanUpShare)
  })
  return at < 0 ? points : points.slice(at)
}

/** The middle point of each group, with a bounded number of groups. */
function thinned(points: SizePoint[]): SizePoint[] {
  const size = Math.ceil(points.length / comparedMax)
  if (size <= 1) return points
  const groups = Math.ceil(points.length / size)
  return Array.from({ length: groups }, (_, group) => {
    const part = points.slice(group * size, (group + 1) * size)
    return part.toSorted((a, b) => a.usedBytes - b.usedBytes)[part.length >> 1] as SizePoint
  })
}

/**
 * Growth by the Theil-Sen estimator: the median of the slopes between all pairs of points, robust
 * against up to a quarter of outliers. Points oldest first. Null with too little history (under a
 * day or six points since the last clean-up).
 */
export function growthOf(all: SizePoint[]): Growth | null {
  const points = sinceCleanUp(all)
  const span = (points.at(-1)?.at ?? 0) - (points[0]?.at ?? 0)
  if (points.length < pointsMin || span < spanSecondsMin) return null
  const compared = thinned(points)
  const slopes = compared.flatMap((a, index) =>
    compared
      .slice(index + 1)
      .flatMap((b) => (b.at > a.at ? [(b.usedBytes - a.usedBytes) / (b.at - a.at)] : [])),
  )
  return { bytesPerDay: median(slopes) * daySeconds, points }
}
