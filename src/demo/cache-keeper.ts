import { rmSync, statSync, truncateSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { cacheFilePath, sliceBytes, writeCacheFile } from './cache-generator.ts'
import type { LoggedRequest } from './log-formats.ts'

/** Bytes missing at the end of a damaged file. */
const cutBytes = 4096

/** Length of the archives that clients read in ranges; every slice states the same total. */
const archiveBytes = 4 * 1024 ** 3

interface Stored {
  /** Of the object; once it is written, of its file. */
  bytes: number
  /** A slice of an archive rather than a whole object. */
  isRanged: boolean
  storedAt: number
  /** Whether the file was written; before `flush` the history is only counted. */
  isWritten: boolean
}

/**
 * The cache behind the demo's log: holds the fetched objects until newer ones evict them, as nginx
 * does. Payloads are holes, so that gigabytes take little disk space.
 */
export class CacheKeeper {
  readonly #root: string
  readonly #filesMax: number
  readonly #damagedEvery: number
  /** By cache key, least recently used first. */
  readonly #stored = new Map<string, Stored>()
  /** Kept: a new one would first pass the places of all entries that were dropped before. */
  readonly #leastRecent = this.#stored.entries()
  #isLive = false

  /** `damagedEvery`: one in this many of the history's files is truncated, as by a bad disk. */
  constructor(root: string, filesMax: number, damagedEvery = Number.POSITIVE_INFINITY) {
    this.#root = root
    this.#filesMax = filesMax
    this.#damagedEvery = damagedEvery
  }

  /** Bytes of all files. */
  get bytes(): number {
    return [...this.#stored.values()].reduce((sum, { bytes }) => sum + bytes, 0)
  }

  /** Stores what a request of the log asks for; whether it was there already. */
  note(request: LoggedRequest): boolean {
    if (request.status !== 200 && request.status !== 206) return false
    const first = Number(/^bytes=(\d+)/.exec(request.range)?.[1] ?? 0)
    const start = first - (first % sliceBytes)
    const path = request.target.split('?')[0] ?? ''
    const key = `${request.tag}${path}bytes=${start}-${start + sliceBytes - 1}`
    const known = this.#stored.get(key)
    const bytes = request.range === '-' ? Math.min(request.bytes, sliceBytes) : sliceBytes
    const isRanged = request.range !== '-'
    const stored = known ?? { bytes, isRanged, storedAt: request.at, isWritten: false }
    this.#stored.delete(key)
    this.#stored.set(key, stored)
    if (this.#isLive) this.#write(key, stored)
    if (this.#stored.size > this.#filesMax) this.#dropOldest()
    return known !== undefined
  }

  /**
   * Writes the cache as it is after the history; from then on every request is written immediately.
   */
  flush(): number {
    this.#isLive = true
    let count = 0
    for (const [key, stored] of this.#stored) {
      const path = this.#write(key, stored)
      if (path !== null && ++count % this.#damagedEvery === 0) {
        truncateSync(path, statSync(path).size - cutBytes)
        utimesSync(path, stored.storedAt, stored.storedAt)
      }
    }
    return this.#stored.size
  }

  /** Returns the path if written now; null when it already existed. */
  #write(key: string, stored: Stored): string | null {
    if (stored.isWritten) return null
    stored.isWritten = true
    const path = writeCacheFile(this.#root, {
      key,
      body: new Uint8Array(0),
      bodyBytes: stored.bytes,
      ...(stored.isRanged ? { objectBytes: archiveBytes } : {}),
      storedAt: stored.storedAt,
      // All slices of an object share one etag.
      etag: `"${Bun.hash.crc32(key.slice(0, key.lastIndexOf('bytes='))).toString(16)}"`,
    })
    utimesSync(path, stored.storedAt, stored.storedAt)
    stored.bytes = statSync(path).size
    return path
  }

  #dropOldest(): void {
    const oldest = this.#leastRecent.next().value
    if (oldest === undefined) return
    const [key, { isWritten }] = oldest
    this.#stored.delete(key)
    if (isWritten) rmSync(join(this.#root, cacheFilePath(key)), { force: true })
  }
}
