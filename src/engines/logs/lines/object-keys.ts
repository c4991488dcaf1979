import type { ByteSpan } from '../../titles/bytes.ts'
import { latin1 } from '../../titles/bytes.ts'
import { normalisedPath, pathLengthMax } from '../../cache/format/key-scheme.ts'
import { cleanText } from './service-name.ts'
import { escapeJson, type Escape } from './line.ts'
import { rowLimits } from '../../shipper/row-limits.ts'

/** Position of a request target in the read buffer, and its escaping. */
export interface LineTarget {
  target: ByteSpan
  escape: Escape
}
export const maxObjectKeys = 32

/** Hash and key of a sampled object; the key is empty until the end of its chunk. */
export type SampledKey = [hash: number, key: string]

/** Hash of an entry that left the sample before its key was built. */
export const droppedHash = -1

/** As a 32-bit number from the start: twice as fast as one that is a fraction at first. */
export const hashStart = 0x811c9dc5 | 0
export const hashByte = (hash: number, byte: number): number => Math.imul(hash ^ byte, 0x01000193)

/** Hash of a request's path, without the query; mixed by `hashPart`. */
export function hashPath(buffer: Uint8Array, target: ByteSpan): number {
  let end = target.to
  let hash = hashStart
  for (let at = target.from; at < end; at++) {
    const byte = buffer[at] as number
    if (byte === 0x3f) end = at
    else hash = hashByte(hash, byte)
  }
  return hash
}

/** Well-mixed hash of a path and a number, such as the first byte of a range. */
export function hashPart(path: number, part: number): number {
  let hash = path ^ Math.imul(part ^ (part / 0x1_0000_0000), 0x9e3779b1)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** Cheap, well-mixed hash of path and first byte, without the query. */
export const hashObject = (buffer: Uint8Array, target: ByteSpan, firstByte: number): number =>
  hashPart(hashPath(buffer, target), firstByte)

/**
 * Keeps the keys with the lowest hashes, so that the sample does not depend on the order. Returns
 * the new entry, whose key must still be built, and the one it displaced; null when nothing
 * changed.
 */
export function addToSample(
  sample: SampledKey[],
  hash: number,
): { entry: SampledKey; displaced: SampledKey | null } | null {
  let at = sample.length
  while (at > 0 && (sample[at - 1] as SampledKey)[0] > hash) at--
  if (at === maxObjectKeys || sample[at - 1]?.[0] === hash) return null
  const entry: SampledKey = [hash, '']
  const displaced =
    sample.length === maxObjectKeys ? (sample[maxObjectKeys - 1] as SampledKey) : null
  // By hand: `splice` makes an array of what it removes.
  for (let to = displaced === null ? sample.length : maxObjectKeys - 1; to > at; to--) {
    sample[to] = sample[to - 1] as SampledKey
  }
  sample[at] = entry
  return { entry, displaced }
}

/** The key of an object: start of the requested range, and the path as in a cache key. */
export const objectKey = (buffer: Uint8Array, line: LineTarget, firstByte: number): string =>
  `${firstByte} ${objectPath(buffer, line)}`

/** The path of a request as in a cache key. */
export function objectPath(buffer: Uint8Array, line: LineTarget): string {
  const { from, to } = line.target
  const end = plainPathEnd(buffer, from, Math.min(to, from + pathLengthMax))
  return end < 0 ? normalisedPath(targetText(line, buffer)) : latin1(buffer, from, end)
}

/** End of a path that is already normalised (most are), or -1 when it must be decoded. */
export function plainPathEnd(buffer: Uint8Array, from: number, to: number): number {
  if (buffer[from] !== 0x2f) return -1
  for (let at = from; at < to; at++) {
    const byte = buffer[at] as number
    if (byte === 0x3f) return at // ?
    if (byte < 0x21 || byte > 0x7e || byte === 0x25 || byte === 0x5c) return -1 // % and \
    if (byte !== 0x2f) continue
    const next = buffer[at + 1]
    if (at + 1 < to && (next === 0x2f || next === 0x2e)) return -1
  }
  return to
}

/** The request target as text, with the log's escapes decoded. */
export function targetText(line: LineTarget, buffer: Uint8Array): string {
  const { from, to } = line.target
  const raw = latin1(buffer, from, Math.min(to, from + 4 * pathLengthMax))
  if (line.escape === escapeJson) return decodeJson(raw)
  const plain = raw.includes('\\x')
    ? raw.replaceAll(/\\x([0-9A-Fa-f]{2})/g, (_, hex: string) =>
        String.fromCharCode(Number.parseInt(hex, 16)),
      )
    : raw
  return isPlain(plain) ? plain : Buffer.from(plain, 'latin1').toString('utf8')
}

// oxlint-disable-next-line no-control-regex -- the ASCII range is what is asked for
const isPlain = (text: string): boolean => /^[\u0000-\u007f]*$/.test(text)

function decodeJson(raw: string): string {
  const text = isPlain(raw) ? raw : Buffer.from(raw, 'latin1').toString('utf8')
  if (!text.includes('\\')) return text
  try {
    return String(JSON.parse(`"${text}"`))
  } catch {
    return text
  }
}

/** The displayed URL: doubled slashes collapsed, query kept, bounded. */
export function shownUrl(target: string): string {
  const clean = cleanText(target, rowLimits.url)
  return clean.includes('//') ? clean.replaceAll(/\/{2,}/g, '/') : clean
}
