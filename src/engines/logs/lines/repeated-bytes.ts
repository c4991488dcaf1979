/** Sequences that are kept, by their place; a power of two. */
const places = 256
/** Longer ones are not kept. */
const lengthMax = 256
const wordBytes = 4

interface Kept<T> {
  length: number
  words: Int32Array
  value: T
}

/**
 * Parts that many lines share, with what was read from them: comparing four bytes at a time costs a
 * quarter of reading the fields again. A new part replaces the one in its place.
 */
export class RepeatedBytes<T> {
  #kept: (Kept<T> | undefined)[] = []

  /** The part that begins at `from` and ends at `to` or before it; null: none of that place does. */
  find(view: DataView, from: number, to: number, hash: number): Kept<T> | null {
    const kept = this.#kept[placeOf(hash)]
    if (kept === undefined || kept.length > to - from) return null
    const { words } = kept
    const last = from + kept.length - wordBytes
    let index = 0
    for (let at = from; at < last; at += wordBytes) {
      if (view.getInt32(at, true) !== words[index++]) return null
    }
    return view.getInt32(last, true) === words[index] ? kept : null
  }

  keep(
    view: DataView,
    from: number,
    to: number,
    { hash, value }: { hash: number; value: T },
  ): void {
    const length = to - from
    if (length < wordBytes || length > lengthMax) return
    const place = placeOf(hash)
    const words = this.#kept[place]?.words ?? new Int32Array(lengthMax / wordBytes)
    const last = to - wordBytes
    let index = 0
    for (let at = from; at < last; at += wordBytes) words[index++] = view.getInt32(at, true)
    words[index] = view.getInt32(last, true)
    this.#kept[place] = { length, words, value }
  }

  clear(): void {
    this.#kept = []
  }
}

const placeOf = (hash: number): number => (hash ^ (hash >>> 8) ^ (hash >>> 16)) & (places - 1)

/** Enough to differ: an address, or a host. */
export const hashedBytes = 24

/** Hash of the bytes from there on; the caller sees to it that they are there. */
export function hashWords(view: DataView, from: number): number {
  let hash = 0
  for (let at = from; at < from + hashedBytes; at += wordBytes) {
    hash = Math.imul(hash ^ view.getInt32(at, true), 0x9e3779b1)
  }
  return hash
}
