/** Bytes of a file; both ends are included. */
export interface ByteRange {
  first: number
  last: number
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
