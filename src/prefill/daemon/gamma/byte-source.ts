import { FormatError } from '../content/format-error.ts'

/** Reads numbers and texts (big-endian) from chunks as they come, holding one chunk at a time. */
export class ByteSource {
  readonly #chunks: AsyncIterator<Buffer>
  #chunk: Buffer = Buffer.alloc(0)
  #at = 0

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]()
  }

  /** The next bytes, valid as long as they are kept. Rejects with FormatError when fewer are left. */
  async take(bytes: number): Promise<Buffer> {
    const end = this.#at + bytes
    if (end <= this.#chunk.length) {
      const taken = this.#chunk.subarray(this.#at, end)
      this.#at = end
      return taken
    }
    const parts: Buffer[] = []
    for await (const part of this.parts(bytes)) parts.push(part)
    return Buffer.concat(parts)
  }

  /** The next bytes as they come; all are to be read. Throws FormatError when fewer are left. */
  async *parts(bytes: number): AsyncGenerator<Buffer, void, undefined> {
    for (let left = bytes; left > 0;) {
      if (!(await this.#hasMore())) throw new FormatError('a file ends too early')
      const part = this.#chunk.subarray(this.#at, this.#at + left)
      this.#at += part.length
      left -= part.length
      yield part
    }
  }

  /** Everything that is left. */
  async *rest(): AsyncGenerator<Buffer, void, undefined> {
    while (await this.#hasMore()) {
      const part = this.#chunk.subarray(this.#at)
      this.#at = this.#chunk.length
      yield part
    }
  }

  async #hasMore(): Promise<boolean> {
    while (this.#at === this.#chunk.length) {
      const next = await this.#chunks.next()
      if (next.done === true) return false
      this.#chunk = next.value
      this.#at = 0
    }
    return true
  }

  async skip(bytes: number): Promise<void> {
    for await (const part of this.parts(bytes)) void part
  }

  async skipRest(): Promise<void> {
    for await (const part of this.rest()) void part
  }

  async uint(bytes: 1 | 2 | 3 | 4 | 5): Promise<number> {
    return (await this.take(bytes)).readUIntBE(0, bytes)
  }

  /** Rejects with FormatError unless these characters follow. */
  async expect(magic: string): Promise<void> {
    if ((await this.take(magic.length)).toString('latin1') === magic) return
    throw new FormatError(`a file does not begin with ${magic}`)
  }

  /** A text that ends with a zero byte. Rejects with FormatError when it is longer. */
  async text(bytesMax: number): Promise<string> {
    const parts: Buffer[] = []
    let left = bytesMax
    while (await this.#hasMore()) {
      const end = this.#chunk.indexOf(0, this.#at)
      const part = this.#chunk.subarray(this.#at, end === -1 ? this.#chunk.length : end)
      left -= part.length
      if (left < 0) throw new FormatError('a text in a file is too long')
      parts.push(part)
      this.#at += part.length
      if (end === -1) continue
      this.#at++
      return Buffer.concat(parts).toString('utf8')
    }
    throw new FormatError('a file ends too early')
  }

  /** Lets go of the chunks: nothing more will be read. */
  async close(): Promise<void> {
    await this.#chunks.return?.()
  }
}
