import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs'
import { open } from 'node:fs/promises'
import type { SkipReason } from '../contract.ts'
import { fingerprintOf, isSameFile, type Fingerprint } from './fingerprint.ts'
import { headBytesMax, readHead, type CacheHead } from './header.ts'

/** Enough for the key and headers of nearly every file; longer ones take a second read. */
const firstReadBytes = 2048
/** Never follows a link, and never blocks on a pipe without a writer. */
const plainFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
/**
 * Keeps access times: updating them would cost a disk write per inspected file. Only the file's
 * owner and root may use the flag; for other users it is dropped.
 */
let readFlags = plainFlags | constants.O_NOATIME
const bodyStartAt = 56

export type HeadOutcome =
  | {
      kind: 'read'
      head: CacheHead
      fingerprint: Fingerprint
      bytesRead: number
      /** Occupies fewer blocks than its length needs. */
      isSparse: boolean
    }
  | { kind: 'gone' }
  /** Why it was not read, with its fingerprint if known. */
  | { kind: 'skipped'; reason: SkipReason; fingerprint: Fingerprint | null; error: string | null }

/** Bytes to read, derived from the first ones: everything before the payload. */
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

/** Whether `open` failed because another user owns the file; if so, later opens omit the flag. */
function isForeign(error: unknown, flags: number): boolean {
  if (errorCode(error) !== 'EPERM' || flags === plainFlags) return false
  readFlags = plainFlags
  return true
}

const sharedBuffer = Buffer.alloc(headBytesMax)

/**
 * Reads and judges the header of one file. The fingerprint was taken before reading; a file with a
 * finding is checked again afterwards, and reported as `changed` if it differs. The key is a view
 * of a buffer of this thread, which the next call overwrites. Never throws for disk errors.
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
    // Without findings, the next walk notices a change; findings must be certain now.
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

/** The same, with one retry for a file that changed while being read. */
export function readQuietHead(path: string, name: string): HeadOutcome {
  const outcome = readHeadFile(path, name)
  const isMoving = outcome.kind === 'skipped' && outcome.reason === 'changed'
  return isMoving ? readHeadFile(path, name) : outcome
}

/** Like `readHeadFile`, without blocking the thread, for slow disks. */
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
