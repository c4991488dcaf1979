import type { ReuseCurve } from '../contract.ts'

const mebibyte = 1024 * 1024
const binsPerOctave = 16
const octaves = 36

/** Number of distances that are counted apart; larger ones are misses at every size. */
export const binCount = binsPerOctave * octaves + 1

/** Largest distance of each bin in bytes, from 1 MiB to 64 PiB: sizes of a cache. */
export const binEnds: readonly number[] = Array.from({ length: binCount }, (_, bin) =>
  Math.round(mebibyte * 2 ** (bin / binsPerOctave)),
)

/** First bin whose end is at least this distance. */
export function binOf(distance: number): number {
  if (distance <= mebibyte) return 0
  let bin = Math.max(0, Math.round(binsPerOctave * Math.log2(distance / mebibyte)) - 1)
  while (bin < binCount && distance > (binEnds[bin] as number)) bin++
  return bin
}

/** What was requested in one week of the log; prefill only moves objects. */
export interface Week {
  /** Its beginning, in Unix seconds. */
  fromS: number
  /** Everything requested, and what of it the log calls a hit. */
  bytes: number
  requests: number
  hitBytes: number
  hits: number
  /** The same as the sample estimates it. */
  sampledBytes: number
  sampledRequests: number
  sampledMissBytes: number
  sampledMisses: number
  /** Hits of objects that were stored before sampling began: nothing says at which sizes. */
  unknownBytes: number
  unknownRequests: number
  byteBins: Float64Array
  requestBins: Float64Array
}

const sumNames = [
  'bytes',
  'requests',
  'hitBytes',
  'hits',
  'sampledBytes',
  'sampledRequests',
  'sampledMissBytes',
  'sampledMisses',
  'unknownBytes',
  'unknownRequests',
] as const
/** Numbers of a packed week. */
const packedLength = 1 + sumNames.length + 2 * binCount

export const newWeek = (fromS: number): Week => ({
  fromS,
  bytes: 0,
  requests: 0,
  hitBytes: 0,
  hits: 0,
  sampledBytes: 0,
  sampledRequests: 0,
  sampledMissBytes: 0,
  sampledMisses: 0,
  unknownBytes: 0,
  unknownRequests: 0,
  byteBins: new Float64Array(binCount),
  requestBins: new Float64Array(binCount),
})

export const packWeeks = (weeks: readonly Week[]): number[] =>
  weeks.flatMap((week) => [
    week.fromS,
    ...sumNames.map((name) => week[name]),
    ...week.byteBins,
    ...week.requestBins,
  ])

export function unpackWeeks(packed: Float64Array): Week[] {
  const count = Math.floor(packed.length / packedLength)
  return Array.from({ length: count }, (_, at) => {
    const numbers = packed.subarray(at * packedLength, (at + 1) * packedLength)
    const week = newWeek(numbers[0] as number)
    for (const [place, name] of sumNames.entries()) week[name] = numbers[1 + place] as number
    const bins = 1 + sumNames.length
    week.byteBins.set(numbers.subarray(bins, bins + binCount))
    week.requestBins.set(numbers.subarray(bins + binCount))
    return week
  })
}

/**
 * Share of hits at the size of each bin. `all` and `misses` are those of the log, `sampled` and
 * `sampledMisses` the same as the sample estimates them: by how much it has too many objects that
 * are seldom requested, it also has too many misses at other sizes. What is left are requests of
 * the most popular objects, which are hits at every size.
 */
function sharesOf(
  bins: Float64Array,
  sums: Record<'all' | 'misses' | 'sampled' | 'sampledMisses' | 'unknown', number>,
): number[] {
  const known = sums.all - sums.unknown
  const isComparable = sums.misses > 0 && sums.sampledMisses > 0
  const scale = isComparable ? sums.misses / sums.sampledMisses : 1
  let misses = sums.sampled - sums.unknown
  return Array.from(bins, (count) => {
    misses -= count
    return known <= 0 ? 0 : Math.min(1, Math.max(0, 1 - (misses * scale) / known))
  })
}

export function curveOf(
  weeks: readonly Week[],
): Pick<ReuseCurve, 'sums' | 'byBytes' | 'byRequests'> {
  const sums = newWeek(0)
  for (const week of weeks) {
    for (const name of sumNames) sums[name] += week[name]
    for (let bin = 0; bin < binCount; bin++) {
      sums.byteBins[bin] = (sums.byteBins[bin] as number) + (week.byteBins[bin] as number)
      sums.requestBins[bin] = (sums.requestBins[bin] as number) + (week.requestBins[bin] as number)
    }
  }
  const { bytes, requests, hitBytes, hits } = sums
  return {
    sums: { bytes, requests, hitBytes, hits },
    byBytes: sharesOf(sums.byteBins, {
      all: bytes,
      misses: bytes - hitBytes,
      sampled: sums.sampledBytes,
      sampledMisses: sums.sampledMissBytes,
      unknown: sums.unknownBytes,
    }),
    byRequests: sharesOf(sums.requestBins, {
      all: requests,
      misses: requests - hits,
      sampled: sums.sampledRequests,
      sampledMisses: sums.sampledMisses,
      unknown: sums.unknownRequests,
    }),
  }
}

/** Share of hits at any size, from the shares at the ends of bins. */
export function shareAt(shares: readonly number[], bytes: number): number {
  const bin = binOf(bytes)
  const upper = shares[Math.min(bin, binCount - 1)] ?? 0
  const [from, to] = [binEnds[bin - 1], binEnds[bin]]
  if (from === undefined || to === undefined) return bytes < mebibyte ? 0 : upper
  const lower = shares[bin - 1] ?? 0
  return lower + ((upper - lower) * (bytes - from)) / (to - from)
}

/** Half the width of the 95 % interval of a share that so many objects estimate. */
export const errorOf = (objects: number): number =>
  objects === 0 ? 1 : Math.min(1, (1.96 * 0.5) / Math.sqrt(objects))
