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
import { basename, dirname } from 'node:path'
import type { OpenFolder } from '../../../core/lib/open-folder.ts'
import { headBytes } from '../files/byte-source.ts'
import { openLogFolder, requireSame, type FileIdentity } from './log-folder.ts'
import { RewriteRefused } from './rewrite-refused.ts'

/** Suffix of unfinished new versions; no series includes them, and the next start removes them. */
export const temporarySuffix = '.larder.tmp'

/** Kept free on the disk: a proxy without space stops caching. */
const reserveBytes = 4 * 1024 * 1024
const outputBytes = 1024 * 1024

/** Throws RewriteRefused for anything but a regular file in the log directory. */
export function checkRegular(path: string): void {
  const stat = lstatSync(path)
  if (stat.isSymbolicLink()) throw new RewriteRefused('it is a symbolic link')
  if (!stat.isFile()) throw new RewriteRefused('it is not a regular file')
}

/** Makes renames in a directory durable, where the file system supports it. */
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

/**
 * The new version of a file, with its mode, owner and times; buffered, plain bytes. Its folder is
 * held open until it is closed, and both versions are addressed through it: replacing the folder
 * with a link cannot redirect the new version.
 */
export class TemporaryFile {
  /** Paths of the new version and of the original; valid until this is closed. */
  readonly path: string
  readonly original: string
  readonly #folder: OpenFolder
  /** Bytes that were added. */
  size = 0
  readonly #fd: number
  readonly #buffer = new Uint8Array(outputBytes)
  #filled = 0

  /**
   * Throws RewriteRefused when the owner cannot be kept or `path` is another file than expected.
   */
  constructor(path: string, identity: FileIdentity) {
    this.#folder = openLogFolder(path)
    this.original = this.#folder.pathOf(basename(path))
    this.path = `${this.original}${temporarySuffix}`
    try {
      requireSame(this.#folder, path, identity)
      rmSync(this.path, { force: true })
      // Private until it has the owner of the original.
      this.#fd = openSync(this.path, 'wx+', 0o600)
    } catch (error) {
      this.#folder.close()
      throw error
    }
    this.#takeOwner()
  }

  #takeOwner(): void {
    const stat = lstatSync(this.original)
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

  /** Call after everything was written. */
  setTimes(modifiedMs: number): void {
    futimesSync(this.#fd, modifiedMs / 1000, modifiedMs / 1000)
  }

  /** Another name in the same folder. */
  beside(suffix: string): string {
    return `${this.original}${suffix}`
  }

  close(): void {
    closeSync(this.#fd)
    this.#folder.close()
  }

  /** Closes and removes it. */
  discard(): void {
    rmSync(this.path, { force: true })
    this.close()
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
