import { readIndex } from './index-file.ts'
import type { KeySet } from './key-set.ts'

/** Ranges of one archive that are less than this apart are requested as one. */
const gapBytes = 4096
/** No entry of an index takes less than this. */
const entryBytes = 24

/**
 * Ranges of an archive that hold wanted files, in ascending order: first and last byte in turn. Takes
 * their keys from the set. Throws FormatError before it takes any.
 */
export function wantedRanges(index: Buffer, wanted: KeySet): Float64Array {
  // Size and offset of a file, which together sort as one number by offset.
  const places = new Uint32Array(2 * Math.ceil(index.length / entryBytes))
  let filled = 0
  readIndex(index, (keyAt, bytes, offset) => {
    if (!wanted.take(index, keyAt)) return
    places[filled++] = bytes
    places[filled++] = offset
  })
  new BigUint64Array(places.buffer, 0, filled / 2).sort()
  const bounds: number[] = []
  for (let at = 0; at < filled; at += 2) {
    const first = places[at + 1] ?? 0
    const last = first + (places[at] ?? 0) - 1
    const open = bounds.at(-1)
    if (open === undefined || first - open - 1 > gapBytes) bounds.push(first, last)
    else bounds[bounds.length - 1] = Math.max(open, last)
  }
  return Float64Array.from(bounds)
}
