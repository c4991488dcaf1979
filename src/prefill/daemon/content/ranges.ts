/** Bytes of a file; both ends are included. */
export interface ByteRange {
  first: number
  last: number
}

/**
 * Merges ranges of one file that overlap or are at most `gapBytes` apart, in ascending order. The
 * given list is sorted in place.
 */
export function mergeRanges(ranges: ByteRange[], gapBytes: number): ByteRange[] {
  ranges.sort((a, b) => a.first - b.first)
  const merged: ByteRange[] = []
  for (const { first, last } of ranges) {
    const open = merged.at(-1)
    if (open !== undefined && first - open.last - 1 <= gapBytes) {
      open.last = Math.max(open.last, last)
    } else merged.push({ first, last })
  }
  return merged
}

/** Parts of a range, in order, none longer than this. */
export function splitRange({ first, last }: ByteRange, bytesMax: number): ByteRange[] {
  const parts: ByteRange[] = []
  for (let at = first; at <= last; at += bytesMax) {
    parts.push({ first: at, last: Math.min(at + bytesMax - 1, last) })
  }
  return parts
}

export const bytesOf = ({ first, last }: ByteRange): number => last - first + 1
