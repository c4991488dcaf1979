import { mkdirSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** One cache file as nginx (header version 5, 64 bit, little endian) writes it. */
export interface CacheFileFacts {
  /** The text nginx hashes: tag, normalised path, range suffix. */
  key: string
  body: Uint8Array
  /** Payload length when longer than `body`: the rest is a hole in the file. */
  bodyBytes?: number
  /** Of the whole object; if omitted, the file holds its end. */
  objectBytes?: number
  /** Unix seconds. */
  storedAt: number
  /** Seconds after `storedAt` until the file is stale. */
  validSeconds?: number
  lastModifiedAt?: number | null
  etag?: string
  /** Status line and headers as sent by the origin, without the empty line. */
  head?: string
}

const headerBytes = 336
const keyPrefix = '\nKEY: '
const defaultValidSeconds = 3560 * 86_400
const offset = {
  version: 0,
  validAt: 8,
  lastModifiedAt: 32,
  storedAt: 40,
  keyCrc: 48,
  headerStart: 54,
  bodyStart: 56,
  etagLength: 58,
  etag: 59,
} as const

/** Slice size of the stock proxy in bytes. */
export const sliceBytes = 1_048_576

/** Key of one slice under the stock recipe; the range is not clipped to the object's end. */
export function sliceKey(tag: string, path: string, slice: number, bytes = sliceBytes): string {
  return `${tag}${path}bytes=${slice * bytes}-${(slice + 1) * bytes - 1}`
}

/** Path below the cache root for `levels=2:2`: the last two digits of the digest come first. */
export function cacheFilePath(key: string): string {
  const digest = new Bun.CryptoHasher('md5').update(key).digest('hex')
  return join(digest.slice(30, 32), digest.slice(28, 30), digest)
}

/**
 * The file's bytes without a trailing hole. The header and key must stay below 64 KiB (16-bit
 * offsets).
 */
export function cacheFileBytes(facts: CacheFileFacts): Uint8Array {
  const key = Buffer.from(facts.key)
  const etag = Buffer.from(facts.etag ?? '')
  const head = Buffer.from(`${facts.head ?? partialHead(facts)}\r\n\r\n`)
  const headerStart = headerBytes + keyPrefix.length + key.length + 1
  const bodyStart = headerStart + head.length
  const file = Buffer.alloc(bodyStart + facts.body.length)
  file.writeBigUInt64LE(5n, offset.version)
  const validAt = facts.storedAt + (facts.validSeconds ?? defaultValidSeconds)
  file.writeBigInt64LE(BigInt(validAt), offset.validAt)
  file.writeBigInt64LE(BigInt(facts.lastModifiedAt ?? -1), offset.lastModifiedAt)
  file.writeBigInt64LE(BigInt(facts.storedAt), offset.storedAt)
  file.writeUInt32LE(Bun.hash.crc32(key), offset.keyCrc)
  file.writeUInt16LE(headerStart, offset.headerStart)
  file.writeUInt16LE(bodyStart, offset.bodyStart)
  file.writeUInt8(etag.length, offset.etagLength)
  etag.copy(file, offset.etag)
  file.write(keyPrefix, headerBytes)
  key.copy(file, headerBytes + keyPrefix.length)
  file.write('\n', headerStart - 1)
  head.copy(file, headerStart)
  file.set(facts.body, bodyStart)
  return file
}

const payloadBytes = ({ body, bodyBytes }: CacheFileFacts): number =>
  Math.max(body.length, bodyBytes ?? 0)

function partialHead(facts: CacheFileFacts): string {
  const { key, storedAt, etag } = facts
  const length = payloadBytes(facts)
  const range = /bytes=(\d+)-\d+$/.exec(key)
  const first = Number(range?.[1] ?? 0)
  const status = range === null ? '200 OK' : '206 Partial Content'
  const lines = [
    `HTTP/1.1 ${status}`,
    `Date: ${new Date(storedAt * 1000).toUTCString()}`,
    `Content-Length: ${length}`,
  ]
  if (etag !== undefined) lines.push(`ETag: ${etag}`)
  if (range !== null) {
    const end = first + length
    lines.push(`Content-Range: bytes ${first}-${end - 1}/${facts.objectBytes ?? end}`)
  }
  return lines.join('\r\n')
}

/** Writes the file below `cacheRoot` with nginx's modes; returns its path. */
export function writeCacheFile(cacheRoot: string, facts: CacheFileFacts): string {
  const path = join(cacheRoot, cacheFilePath(facts.key))
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const bytes = cacheFileBytes(facts)
  writeFileSync(path, bytes, { mode: 0o600 })
  const hole = payloadBytes(facts) - facts.body.length
  if (hole > 0) truncateSync(path, bytes.length + hole)
  return path
}

/** The stock proxy's note about its settings, at the root of the volume. */
export const configHash =
  'GENERICCACHE_VERSION=2;CACHE_MODE=monolithic;CACHE_SLICE_SIZE=1m;' +
  'CACHE_KEY=$cacheidentifier$uri$slice_range;\n'
