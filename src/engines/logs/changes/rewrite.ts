import {
  closeSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  fstatSync,
  futimesSync,
  lstatSync,
  openSync,
  readSync,
  rmSync,
  statfsSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { headBytes } from '../files/byte-source.ts'

/** Names of new versions while they are made; no series takes them, and a start removes them. */
export const temporarySuffix = '.larder.tmp'

/** Left free on a disk that we write to: a proxy without space stops caching. */
const reserveBytes = 4 * 1024 * 1024
const outputBytes = 1024 * 1024

/** A log file cannot be rewritten; the text is fit for people. */
export class RewriteRefused extends Error {}

/** Throws RewriteRefused for what only looks like a file of the log directory. */
export function checkRegular(path: string): void {
  const stat = lstatSync(path)
  if (stat.isSymbolicLink()) throw new RewriteRefused('it is a symbolic link')
  if (!stat.isFile()) throw new RewriteRefused('it is not a regular file')
}

/** Makes what was renamed in a directory survive a power cut. Not every file system can. */
export function syncDirectory(path: string): void {
  const fd = openSync(dirname(path), 'r')
  try {
    fsyncSync(fd)
  } catch {
    // Some network file systems refuse to sync a directory; the rename itself is done.
  } finally {
    closeSync(fd)
  }
}

/** The new version of a file, with its mode, owner and times; buffered, plain bytes. */
export class TemporaryFile {
  readonly path: string
  /** Bytes that were added. */
  size = 0
  readonly #fd: number
  readonly #buffer = new Uint8Array(outputBytes)
  #filled = 0

  /** Throws RewriteRefused when the owner cannot be kept. */
  constructor(original: string) {
    this.path = `${original}${temporarySuffix}`
    rmSync(this.path, { force: true })
    const stat = lstatSync(original)
    // Nobody else may read it before it has the owner of the original.
    this.#fd = openSync(this.path, 'wx+', 0o600)
    try {
      const own = fstatSync(this.#fd)
      if (own.uid !== stat.uid || own.gid !== stat.gid) fchownSync(this.#fd, stat.uid, stat.gid)
      fchmodSync(this.#fd, stat.mode & 0o7777)
    } catch (error) {
      this.discard()
      const code = (error as { code?: string }).code
      if (code !== 'EPERM' && code !== 'EACCES') throw error
      const owner = `${stat.uid}:${stat.gid}`
      throw new RewriteRefused(
        `it belongs to user ${owner}, which only that user can keep; set PUID and PGID to it`,
      )
    }
  }

  /** Device and inode. */
  get identity(): string {
    const { dev, ino } = fstatSync(this.#fd)
    return `${dev}:${ino}`
  }

  add(bytes: Uint8Array): void {
    this.size += bytes.length
    for (let at = 0; at < bytes.length;) {
      const part = bytes.subarray(at, at + this.#buffer.length - this.#filled)
      this.#buffer.set(part, this.#filled)
      this.#filled += part.length
      at += part.length
      if (this.#filled === this.#buffer.length) this.#flush()
    }
  }

  /** Waits until everything is on the disk. */
  sync(): void {
    this.#flush()
    fsyncSync(this.#fd)
  }

  /** First bytes of what was added. */
  head(): Uint8Array {
    this.#flush()
    const head = new Uint8Array(headBytes)
    return head.slice(0, readSync(this.#fd, head, 0, headBytes, 0))
  }

  /** After everything was written. */
  setTimes(modifiedMs: number): void {
    futimesSync(this.#fd, modifiedMs / 1000, modifiedMs / 1000)
  }

  close(): void {
    closeSync(this.#fd)
  }

  /** Closes it and takes it away. */
  discard(): void {
    this.close()
    rmSync(this.path, { force: true })
  }

  #flush(): void {
    if (this.#filled === 0) return
    const { bavail, bsize } = statfsSync(this.path)
    if (bavail * bsize < reserveBytes + this.#filled) {
      throw new RewriteRefused('there is not enough space beside it for the new version')
    }
    for (let at = 0; at < this.#filled;) {
      at += writeSync(this.#fd, this.#buffer, at, this.#filled - at)
    }
    this.#filled = 0
  }
}
