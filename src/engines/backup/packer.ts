import { createHash } from 'node:crypto'
import { createWriteStream, fsyncSync, openSync, closeSync, renameSync, rmSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdCompress } from 'node:zlib'
import { pack } from 'tar-stream'
import type { Contents } from './contract.ts'

/** Data of unknown length is packed in parts of this size. */
const partBytes = 4 * 1024 * 1024
/** Packed bytes between two garbage collections: parts are produced faster than they are collected. */
const collectEveryBytes = 64 * 1024 * 1024
/** Usual for zstd: three times as fast as the disk of a small machine. */
const level = 3
const privateMode = 0o600

/** Writes a compressed archive; nothing stands at its path until it is complete and on the disk. */
export class Packer {
  /** Unpacked bytes. */
  bytes = 0
  #collectedAt = 0
  readonly #parts: Contents['parts'] = []
  readonly #file: string
  readonly #archive = pack()
  readonly #written: Promise<void>

  constructor(file: string) {
    this.#file = file
    const compress = createZstdCompress({
      params: {
        [constants.ZSTD_c_compressionLevel]: level,
        [constants.ZSTD_c_checksumFlag]: 1,
      },
    })
    const output = createWriteStream(`${file}.part`, { mode: privateMode })
    this.#written = pipeline(this.#archive, compress, output)
    // Reported by the step that waits for it.
    this.#written.catch(() => {})
  }

  /** One entry. Waits until it was taken, so that memory stays bounded. */
  async add(name: string, content: Buffer): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#archive.entry({ name, mode: privateMode, size: content.length }, content, (error) =>
      error ? reject(error) : resolve(),
    )
    await Promise.race([promise, this.#written])
    this.bytes += content.length
    const sha256 = createHash('sha256').update(content).digest('hex')
    this.#parts.push({ name, bytes: content.length, sha256 })
    if (this.bytes - this.#collectedAt < collectEveryBytes) return
    this.#collectedAt = this.bytes
    Bun.gc(true)
  }

  /** Entries `<name>/000000` and so on, whose contents joined are those of the stream. */
  async addParts(name: string, stream: Readable, each: () => void): Promise<void> {
    let held: Buffer[] = []
    let length = 0
    let number = 0
    const flush = async () => {
      if (length === 0) return
      const content = Buffer.concat(held)
      held = []
      length = 0
      await this.add(`${name}/${String(number++).padStart(6, '0')}`, content)
      each()
    }
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      held.push(chunk)
      length += chunk.length
      if (length >= partBytes) await flush()
    }
    await flush()
  }

  /** Ends the archive with the list of what it holds. */
  async finish(): Promise<void> {
    const contents: Contents = { parts: this.#parts }
    await this.add('end.json', Buffer.from(JSON.stringify(contents)))
    this.#archive.finalize()
    await this.#written
    const part = `${this.#file}.part`
    const file = openSync(part, 'r')
    fsyncSync(file)
    closeSync(file)
    renameSync(part, this.#file)
  }

  /** Leaves nothing behind. */
  async discard(): Promise<void> {
    this.#archive.destroy()
    await this.#written.catch(() => {})
    rmSync(`${this.#file}.part`, { force: true })
  }
}
