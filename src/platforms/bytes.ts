/** Part of a buffer: a log field that was never made a string. */
export interface ByteSpan {
  from: number
  to: number
}

interface Slot<T> {
  bytes: Uint8Array
  value: T
  next: Slot<T> | undefined
}

/** Runs over the bytes once; good enough for short log fields. */
function hashOf(buffer: Uint8Array, from: number, to: number): number {
  let hash = 0x811c9dc5
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ (buffer[at] as number), 0x01000193)
  return hash
}

export function sameBytes(buffer: Uint8Array, from: number, other: Uint8Array): boolean {
  for (let at = 0; at < other.length; at++) if (buffer[from + at] !== other[at]) return false
  return true
}

/** Keeps one value per distinct byte sequence, so that a repeated field costs no string. */
export class ByteInterner<T> {
  readonly #slots = new Map<number, Slot<T>>()
  readonly #make: (text: string) => T
  #size = 0

  constructor(make: (text: string) => T) {
    this.#make = make
  }

  get size(): number {
    return this.#size
  }

  get(buffer: Uint8Array, from: number, to: number): T {
    const hash = hashOf(buffer, from, to)
    const first = this.#slots.get(hash)
    for (let slot = first; slot !== undefined; slot = slot.next) {
      if (slot.bytes.length === to - from && sameBytes(buffer, from, slot.bytes)) return slot.value
    }
    const bytes = buffer.slice(from, to)
    const value = this.#make(latin1(bytes, 0, bytes.length))
    this.#slots.set(hash, { bytes, value, next: first })
    this.#size++
    return value
  }

  clear(): void {
    this.#slots.clear()
    this.#size = 0
  }
}

/** One character per byte, whatever the bytes are. */
export const latin1 = (buffer: Uint8Array, from: number, to: number): string =>
  Buffer.from(buffer.buffer, buffer.byteOffset + from, to - from).toString('latin1')

export const ascii = (text: string): Uint8Array => Buffer.from(text, 'latin1')

/** Index of `word` in the span, or -1. */
export function indexOfBytes(buffer: Uint8Array, word: Uint8Array, { from, to }: ByteSpan): number {
  const first = word[0]
  for (let at = from; at <= to - word.length; at++) {
    if (buffer[at] === first && sameBytes(buffer, at, word)) return at
  }
  return -1
}
