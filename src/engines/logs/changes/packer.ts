import { once } from 'node:events'
import type { Transform } from 'node:stream'
import { constants, createGzip, createZstdCompress } from 'node:zlib'
import type { Compression } from '../files/byte-source.ts'
import type { TemporaryFile } from './rewrite.ts'

/** Speed over size: a log compresses ten to one at any level. */
const gzipLevel = 1
const zstdLevel = 3

/** Appends bytes to a new version, compressed as its file name says. */
export class Packer {
  readonly #file: TemporaryFile
  readonly #stream: Transform | null
  #error: Error | null = null

  constructor(file: TemporaryFile, compression: Compression) {
    this.#file = file
    this.#stream = streamFor(compression)
    this.#stream?.on('data', (packed: Uint8Array) => this.#take(packed))
    this.#stream?.on('error', (error) => (this.#error ??= error))
  }

  /** `bytes` may be reused as soon as this resolves. */
  async add(bytes: Uint8Array): Promise<void> {
    if (this.#error !== null) throw this.#error
    if (this.#stream === null) this.#file.add(bytes)
    else if (!this.#stream.write(Buffer.from(bytes))) await once(this.#stream, 'drain')
  }

  async finish(): Promise<void> {
    if (this.#stream !== null) {
      const ended = once(this.#stream, 'end')
      this.#stream.end()
      await ended
    }
    if (this.#error !== null) throw this.#error
  }

  /** Abandons an unfinished stream. */
  stop(): void {
    this.#stream?.destroy()
  }

  #take(packed: Uint8Array): void {
    if (this.#error !== null) return
    try {
      this.#file.add(packed)
    } catch (error) {
      this.#error = error instanceof Error ? error : new Error(String(error))
    }
  }
}

function streamFor(compression: Compression): Transform | null {
  if (compression === 'none') return null
  if (compression === 'gzip') return createGzip({ level: gzipLevel })
  return createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: zstdLevel } })
}
