/** Part of a buffer: a log field that was not converted to a string. */
export interface ByteSpan {
  from: number
  to: number
}

interface Slot<T> {
  hash: number
  bytes: Uint8Array
  value: T
  next: Slot<T> | undefined
}

const firstBuckets = 256
/** Sequences that are found again without a pass over all their bytes; a power of two. */
const recentSlots = 256

/** Some bytes in which fields of one kind differ. */
function placeOf(buffer: Uint8Array, from: number, to: number): number {
  const middle = buffer[(from + to) >>> 1] as number
  const last = buffer[to - 1] as number
  return (7 * (buffer[to - 2] as number) + 31 * last + 61 * middle + to - from) & (recentSlots - 1)
}

/** One pass over the bytes; good enough for short log fields. */
function hashOf(buffer: Uint8Array, from: number, to: number): number {
  let hash = 0x811c9dc5
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ (buffer[at] as number), 0x01000193)
  return hash
}

export function sameBytes(buffer: Uint8Array, from: number, other: Uint8Array): boolean {
  for (let at = 0; at < other.length; at++) if (buffer[from + at] !== other[at]) return false
  return true
}

/** A real copy: `slice` of a Node buffer would show whatever is read into it next. */
export const copyOf = (buffer: Uint8Array, from: number, to: number): Uint8Array =>
  new Uint8Array(buffer.subarray(from, to))

/** Keeps one value per distinct byte sequence, so that a repeated field needs no new string. */
export class ByteInterner<T> {
  #buckets: (Slot<T> | undefined)[] = emptyBuckets(firstBuckets)
  #recent: (Slot<T> | undefined)[] = emptyBuckets(recentSlots)
  readonly #make: (text: string) => T
  #size = 0

  constructor(make: (text: string) => T) {
    this.#make = make
  }

  get size(): number {
    return this.#size
  }

  get(buffer: Uint8Array, from: number, to: number): T {
    const place = to - from < 2 ? 0 : placeOf(buffer, from, to)
    const recent = this.#recent[place]
    if (recent?.bytes.length === to - from && sameBytes(buffer, from, recent.bytes)) {
      return recent.value
    }
    const found = this.#slotOf(buffer, from, to)
    this.#recent[place] = found
    return found.value
  }

  #slotOf(buffer: Uint8Array, from: number, to: number): Slot<T> {
    const hash = hashOf(buffer, from, to)
    const bucket = hash & (this.#buckets.length - 1)
    for (let slot = this.#buckets[bucket]; slot !== undefined; slot = slot.next) {
      if (slot.hash !== hash || slot.bytes.length !== to - from) continue
      if (sameBytes(buffer, from, slot.bytes)) return slot
    }
    const bytes = copyOf(buffer, from, to)
    const value = this.#make(latin1(buffer, from, to))
    const made = { hash, bytes, value, next: this.#buckets[bucket] }
    this.#buckets[bucket] = made
    this.#size++
    if (this.#size > this.#buckets.length) this.#grow()
    return made
  }

  clear(): void {
    this.#recent = emptyBuckets(recentSlots)
    this.#buckets = emptyBuckets(firstBuckets)
    this.#size = 0
  }

  #grow(): void {
    const grown = emptyBuckets<T>(this.#buckets.length * 2)
    for (const first of this.#buckets) {
      for (let slot = first; slot !== undefined;) {
        const { next } = slot
        const bucket = slot.hash & (grown.length - 1)
        slot.next = grown[bucket]
        grown[bucket] = slot
        slot = next
      }
    }
    this.#buckets = grown
  }
}

const emptyBuckets = <T>(count: number): (Slot<T> | undefined)[] =>
  Array.from<Slot<T> | undefined>({ length: count }).fill(undefined)

let viewed: Uint8Array = new Uint8Array(0)
let view: Buffer = Buffer.alloc(0)

/** One character per byte, whatever the bytes. */
export function latin1(buffer: Uint8Array, from: number, to: number): string {
  // Many texts come from one chunk, so a view of it is cached.
  if (viewed !== buffer) {
    viewed = buffer
    view = Buffer.from(buffer.buffer, buffer.byteOffset, buffer.byteLength)
  }
  return view.toString('latin1', from, to)
}

export const ascii = (text: string): Uint8Array => Buffer.from(text, 'latin1')

/** Index of `word` in the span, or -1. */
export function indexOfBytes(buffer: Uint8Array, word: Uint8Array, { from, to }: ByteSpan): number {
  const first = word[0]
  for (let at = from; at <= to - word.length; at++) {
    if (buffer[at] === first && sameBytes(buffer, at, word)) return at
  }
  return -1
}
