import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs'
import { open } from 'node:fs/promises'
import type { SkipReason } from '../contract.ts'
import { fingerprintOf, isSameFile, type Fingerprint } from './fingerprint.ts'
import { headBytesMax, readHead, type CacheHead } from './header.ts'

/** Enough for key and headers of nearly every file; longer heads take a second read. */
const firstReadBytes = 2048
/** Never follows a link, and never waits for somebody to write into a pipe. */
const plainFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
/**
 * Times of access are not to change: it would write to the disk for every file that is looked at.
 * Only the owner of a file and the administrator may ask for that; others read without.
 */
let readFlags = plainFlags | constants.O_NOATIME
const bodyStartAt = 56

export type HeadOutcome =
  | {
      kind: 'read'
      head: CacheHead
      fingerprint: Fingerprint
      bytesRead: number
      /** Fewer blocks on the disk than its length needs. */
      isSparse: boolean
    }
  | { kind: 'gone' }
  /** Not read: why, and what it looked like as far as it could be asked. */
  | { kind: 'skipped'; reason: SkipReason; fingerprint: Fingerprint | null; error: string | null }

/** How much of a file has to be read, from its first bytes: up to the payload. */
function wantedBytes(first: Buffer, fileBytes: number): number {
  if (first.length < bodyStartAt + 2) return first.length
  return Math.min(first.readUInt16LE(bodyStartAt), fileBytes, headBytesMax)
}

const errorCode = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : String(error)

function refused(error: unknown): HeadOutcome {
  const code = errorCode(error)
  if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'gone' }
  const reasons: Record<string, SkipReason> = { ELOOP: 'symlink', ENXIO: 'special_file' }
  return { kind: 'skipped', reason: reasons[code] ?? 'io_error', fingerprint: null, error: code }
}

/** `blocks` counts units of 512 bytes, whatever the file system uses. */
const isSparse = ({ blocks, size }: Stats): boolean => blocks * 512 < size

const skipped = (reason: SkipReason, fingerprint: Fingerprint): HeadOutcome => ({
  kind: 'skipped',
  reason,
  fingerprint,
  error: null,
})

/** Whether opening with `flags` failed because the file is not ours; from then on nobody asks. */
function isForeign(error: unknown, flags: number): boolean {
  if (errorCode(error) !== 'EPERM' || flags === plainFlags) return false
  readFlags = plainFlags
  return true
}

const sharedBuffer = Buffer.alloc(headBytesMax)

/**
 * Reads and judges the head of one file. The fingerprint is that of before reading; a file that is
 * found broken is the same before and after, or the outcome says `changed`. The key is a part of a
 * buffer of this thread: the next call overwrites it. Never throws for what is on the disk.
 */
export function readHeadFile(path: string, name: string): HeadOutcome {
  const flags = readFlags
  let file: number
  try {
    file = openSync(path, flags)
  } catch (error) {
    return isForeign(error, flags) ? readHeadFile(path, name) : refused(error)
  }
  try {
    const stats = fstatSync(file)
    const before = fingerprintOf(stats)
    if (!stats.isFile()) return skipped('special_file', before)
    let read = readSync(file, sharedBuffer, 0, firstReadBytes, 0)
    const wanted = wantedBytes(sharedBuffer.subarray(0, read), before.bytes)
    while (read < wanted) {
      const more = readSync(file, sharedBuffer, read, wanted - read, read)
      if (more === 0) break
      read += more
    }
    const head = readHead(sharedBuffer.subarray(0, read), before.bytes, name)
    // What was written meanwhile looks different to the next walk; only findings cannot wait.
    if (head.issues.length > 0) {
      const after = fingerprintOf(fstatSync(file))
      if (!isSameFile(before, after)) return skipped('changed', after)
    }
    const bytesRead = read
    return { kind: 'read', head, fingerprint: before, bytesRead, isSparse: isSparse(stats) }
  } catch (error) {
    return refused(error)
  } finally {
    closeSync(file)
  }
}

/** The same, once more for a file that changed while it was read. */
export function readQuietHead(path: string, name: string): HeadOutcome {
  const outcome = readHeadFile(path, name)
  const isMoving = outcome.kind === 'skipped' && outcome.reason === 'changed'
  return isMoving ? readHeadFile(path, name) : outcome
}

/** As `readHeadFile`, without holding up the thread, for disks that answer slowly. */
export async function readHeadFileLater(path: string, name: string): Promise<HeadOutcome> {
  const flags = readFlags
  let file
  try {
    file = await open(path, flags)
  } catch (error) {
    return isForeign(error, flags) ? readHeadFileLater(path, name) : refused(error)
  }
  try {
    const stats = await file.stat()
    const before = fingerprintOf(stats)
    if (!stats.isFile()) return skipped('special_file', before)
    let buffer = Buffer.allocUnsafe(firstReadBytes)
    let { bytesRead } = await file.read(buffer, 0, firstReadBytes, 0)
    const wanted = wantedBytes(buffer.subarray(0, bytesRead), before.bytes)
    if (bytesRead < wanted) {
      buffer = Buffer.allocUnsafe(wanted)
      bytesRead = (await file.read(buffer, 0, wanted, 0)).bytesRead
    }
    const head = readHead(buffer.subarray(0, bytesRead), before.bytes, name)
    if (head.issues.length > 0) {
      const after = fingerprintOf(await file.stat())
      if (!isSameFile(before, after)) return skipped('changed', after)
    }
    return { kind: 'read', head, fingerprint: before, bytesRead, isSparse: isSparse(stats) }
  } catch (error) {
    return refused(error)
  } finally {
    await file.close().catch(() => {})
  }
}
