import { closeSync, createReadStream, fstatSync, openSync, readSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { createGunzip, createZstdDecompress } from 'node:zlib'

export type Compression = 'none' | 'gzip' | 'zstd'

/** Decompressed bytes of a log file, by offset. */
export interface ByteSource {
  /** Fills the buffer from `offset`; returns fewer bytes only at the end of the file. */
  read(buffer: Uint8Array, offset: number): number | Promise<number>
  close(): void
}

export const headBytes = 1024

/** Compressed bytes per read, decoded bytes per step, and bytes decoded ahead of the parser. */
const rawBytes = 128 * 1024
const decodedBytes = 512 * 1024
const aheadBytes = 2 * 1024 * 1024

/** A plain file that may be renamed, truncated or deleted while it is open. */
export class PlainSource implements ByteSource {
  readonly #fd: number
  readonly #head = new Uint8Array(headBytes)

  constructor(path: string) {
    this.#fd = openSync(path, 'r')
  }

  read(buffer: Uint8Array, offset: number): number {
    return readSync(this.#fd, buffer, 0, buffer.length, offset)
  }

  stat(): { device: string; inode: string; size: number; modifiedMs: number } {
    const { dev, ino, size, mtimeMs } = fstatSync(this.#fd, { bigint: false })
    return { device: String(dev), inode: String(ino), size, modifiedMs: Math.floor(mtimeMs) }
  }

  /**
   * Whether the file still begins with these bytes. Call after reading, so that no change is
   * missed.
   */
  begins(head: Uint8Array): boolean {
    const length = readSync(this.#fd, this.#head, 0, headBytes, 0)
    return length >= head.length && Buffer.compare(this.#head.subarray(0, head.length), head) === 0
  }

  close(): void {
    closeSync(this.#fd)
  }
}

/** A compressed file, read forward only; requesting an earlier offset is an error. */
export class CompressedSource implements ByteSource {
  readonly #raw: Readable
  readonly #chunks: AsyncIterator<Uint8Array>
  #pending: Uint8Array[] = []
  /** Offset of the first pending byte. */
  #at = 0
  #error: Error | null = null
  #isEnded = false

  constructor(path: string, compression: 'gzip' | 'zstd') {
    this.#raw = createReadStream(path, { highWaterMark: rawBytes })
    const sizes = { chunkSize: decodedBytes, readableHighWaterMark: aheadBytes }
    const decoder = compression === 'gzip' ? createGunzip(sizes) : createZstdDecompress(sizes)
    this.#raw.on('error', (error) => decoder.destroy(error))
    const stream = this.#raw.pipe(decoder)
    this.#chunks = stream[Symbol.asyncIterator]()
  }

  /** Why the rest cannot be read; the bytes before it were returned. */
  get error(): Error | null {
    return this.#error
  }

  async read(buffer: Uint8Array, offset: number): Promise<number> {
    if (offset < this.#at) throw new Error('a compressed log cannot be read backwards')
    let filled = this.#take(buffer, offset, 0)
    while (filled < buffer.length && (await this.#pull())) {
      filled = this.#take(buffer, offset, filled)
    }
    return filled
  }

  close(): void {
    this.#raw.destroy()
    void this.#chunks.return?.().catch(() => {})
  }

  /** Copies as many pending bytes as fit into the buffer; drops those before `offset`. */
  #take(buffer: Uint8Array, offset: number, filled: number): number {
    let from = this.#at
    while (this.#pending[0] !== undefined && from + this.#pending[0].length <= offset) {
      from += this.#pending[0].length
      this.#pending.shift()
    }
    this.#at = from
    let total = filled
    for (const chunk of this.#pending) {
      const wanted = offset + total - from
      if (wanted >= 0 && wanted < chunk.length) {
        const part = chunk.subarray(wanted, wanted + buffer.length - total)
        buffer.set(part, total)
        total += part.length
      }
      from += chunk.length
      if (total === buffer.length) break
    }
    return total
  }

  async #pull(): Promise<boolean> {
    if (this.#isEnded) return false
    try {
      const { done, value } = await this.#chunks.next()
      if (done !== true) {
        this.#pending.push(value)
        return true
      }
    } catch (error) {
      this.#error = error instanceof Error ? error : new Error(String(error))
    }
    this.#isEnded = true
    return false
  }
}

export const openSource = (path: string, compression: Compression): ByteSource =>
  compression === 'none' ? new PlainSource(path) : new CompressedSource(path, compression)

/** The first bytes, decompressed; none if the file is empty or unreadable. */
export async function readHead(path: string, compression: Compression): Promise<Uint8Array> {
  const source = openSource(path, compression)
  try {
    const buffer = new Uint8Array(headBytes)
    const length = await source.read(buffer, 0)
    return buffer.slice(0, length)
  } finally {
    source.close()
  }
}
