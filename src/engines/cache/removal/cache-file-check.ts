import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { headBytesMax, readHead } from '../format/header.ts'

/** Enough for the KEY line of nearly every file; longer keys take a second read. */
const firstReadBytes = 2048
const keyMark = Buffer.from('\nKEY: ')
const lineEnd = 0x0a
/** Never follows a link, and never blocks on a pipe without a writer. */
const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/** MD5 of the key in a file's KEY line; null when `bytes` do not hold the whole line. */
function digestIn(bytes: Buffer): string | null {
  const from = bytes.indexOf(keyMark)
  const to = from < 0 ? -1 : bytes.indexOf(lineEnd, from + keyMark.length)
  return to < 0 ? null : Bun.MD5.hash(bytes.subarray(from + keyMark.length, to), 'hex')
}

/** A response with Vary is stored under another digest, which its header holds besides the key. */
function isVariant(bytes: Buffer, fileBytes: number, name: string): boolean {
  const { key, hasVary, issues } = readHead(bytes, fileBytes, name)
  return key !== null && hasVary && !issues.includes('cache_key_path_mismatch')
}

/**
 * Whether a regular file was stored by the proxy: its header has a KEY line whose MD5 is the file
 * name. Throws the errors of opening and reading.
 */
export async function isCacheFile(path: string, name: string): Promise<boolean> {
  const file = await open(path, flags)
  try {
    const stats = await file.stat()
    if (!stats.isFile()) return false
    const read = async (length: number) => {
      const buffer = Buffer.allocUnsafe(length)
      return buffer.subarray(0, (await file.read(buffer, 0, length, 0)).bytesRead)
    }
    let head = await read(firstReadBytes)
    if (digestIn(head) === null && head.length === firstReadBytes) head = await read(headBytesMax)
    return digestIn(head) === name || isVariant(head, stats.size, name)
  } finally {
    await file.close().catch(() => {})
  }
}
