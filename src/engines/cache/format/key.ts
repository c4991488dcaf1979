import { join } from 'node:path'

/** A parsed cache key: `<tag><path><suffix>`. */
export interface CacheKey {
  tag: string
  uri: string
  /** First byte of the slice; -1: no range in the key; -2: stored by the no-slice fallback. */
  sliceStart: number
  /** Last byte of the key's range; -1 without a range. */
  sliceEnd: number
}

export const noSliceStart = -1
export const fallbackStart = -2
const fallbackSuffix = '::noslice'
const rangePattern = /bytes=(\d{1,15})-(\d{1,15})$/

/** Null without a path: not a proxy's key. */
export function parseKey(key: string): CacheKey | null {
  const slash = key.indexOf('/')
  if (slash < 0) return null
  const tag = key.slice(0, slash)
  if (key.endsWith(fallbackSuffix)) {
    const uri = key.slice(slash, -fallbackSuffix.length)
    return { tag, uri, sliceStart: fallbackStart, sliceEnd: -1 }
  }
  const range = rangePattern.exec(key)
  if (range === null) {
    return { tag, uri: key.slice(slash), sliceStart: noSliceStart, sliceEnd: -1 }
  }
  const uri = key.slice(slash, range.index)
  // A path cannot be empty, so this is a path that merely looks like a range.
  if (uri === '') return { tag, uri: key.slice(slash), sliceStart: noSliceStart, sliceEnd: -1 }
  return { tag, uri, sliceStart: Number(range[1]), sliceEnd: Number(range[2]) }
}

/** Key of the slice that holds `firstByte`; its range is not cut at the end of the object. */
export function sliceKeyAt(object: { tag: string; uri: string }, firstByte: number, bytes: number) {
  const start = Math.floor(firstByte / bytes) * bytes
  return `${object.tag}${object.uri}bytes=${start}-${start + bytes - 1}`
}

/** All keys under which a proxy can have stored the cache file with `firstByte`. */
export const candidateKeys = (
  object: { tag: string; uri: string },
  firstByte: number,
  sliceBytes: number,
): string[] => [
  sliceKeyAt(object, firstByte, sliceBytes),
  `${object.tag}${object.uri}`,
  `${object.tag}${object.uri}${fallbackSuffix}`,
]

/** md5 of a key as 32 lower-case hex digits: the file's name. */
export const digestOf = (key: string | Uint8Array): string =>
  new Bun.CryptoHasher('md5').update(key).digest('hex')

/** Path below the root for `levels=2:2`: the last two digits come first. */
export const pathOfDigest = (digest: string): string =>
  join(digest.slice(30, 32), digest.slice(28, 30), digest)

/** Number of the hash directory, in the order of the walk: 0 to 65535. */
export const dirOfDigest = (digest: string): number =>
  Number.parseInt(digest.slice(30, 32) + digest.slice(28, 30), 16)

/** `a7/9c` for a number of a hash directory. */
export function dirName(dir: number): string {
  const hex = dir.toString(16).padStart(4, '0')
  return join(hex.slice(0, 2), hex.slice(2, 4))
}
