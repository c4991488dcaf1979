import { FormatError } from '../content/format-error.ts'

/** Reads numbers and texts (big-endian) from chunks, holding one chunk at a time. */
export class ByteSource {
  readonly #chunks: Iterator<Buffer>
  #chunk: Buffer = Buffer.alloc(0)
  #at = 0

  constructor(chunks: Iterable<Buffer>) {
    this.#chunks = chunks[Symbol.iterator]()
  }

  /** The next bytes, valid as long as they are kept. Throws FormatError when fewer are left. */
  take(bytes: number): Buffer {
    const end = this.#at + bytes
    if (end <= this.#chunk.length) {
      const taken = this.#chunk.subarray(this.#at, end)
      this.#at = end
      return taken
    }
    return this.#gather(bytes)
  }

  #gather(bytes: number): Buffer {
    const parts: Buffer[] = []
    let missing = bytes
    while (missing > 0) {
      if (this.#at === this.#chunk.length) this.#next()
      const part = this.#chunk.subarray(this.#at, this.#at + missing)
      this.#at += part.length
      missing -= part.length
      parts.push(part)
    }
    return parts.length === 1 ? (parts[0] ?? Buffer.alloc(0)) : Buffer.concat(parts)
  }

  #next(): void {
    const next = this.#chunks.next()
    if (next.done === true) throw new FormatError('a file ends too early')
    this.#chunk = next.value
    this.#at = 0
  }

  skip(bytes: number): void {
    for (let left = bytes; left > 0;) {
      if (this.#at === this.#chunk.length) this.#next()
      const step = Math.min(left, this.#chunk.length - this.#at)
      this.#at += step
      left -= step
    }
  }

  uint(bytes: 1 | 2 | 3 | 4 | 5): number {
    return this.take(bytes).readUIntBE(0, bytes)
  }

  /** Throws FormatError unless these characters follow. */
  expect(magic: string): void {
    if (this.take(magic.length).toString('latin1') === magic) return
    throw new FormatError(`a file does not begin with ${magic}`)
  }

  /** A text that ends with a zero byte. Throws FormatError when it is longer. */
  text(charsMax: number): string {
    const bytes: number[] = []
    for (;;) {
      const byte = this.uint(1)
      if (byte === 0) return Buffer.from(bytes).toString('utf8')
      if (bytes.length === charsMax) throw new FormatError('a text in a file is too long')
      bytes.push(byte)
    }
  }
}
