import { hash53 } from '../../../core/lib/hash53.ts'
import { cleanText, serviceOfTag } from '../../logs/lines/service-name.ts'

/**
 * How caching proxies form the keys of their files: `<prefix><path><suffix>`. The monolithic proxy uses
 * the tag of its log as prefix; a per-host proxy one prefix for each service, of which some are stored
 * in slices and some keep the request target as it was sent.
 */
export type KeyScheme = 'monolithic' | 'bare_metal'

/** How a proxy forms the keys for requests of one tag. */
export interface KeyFormat {
  keyTag: string
  /** Stored in slices, each under its own key. */
  isSliced: boolean
  /** The key contains the raw request target: with its query, not decoded. */
  isRaw: boolean
  /** Suffixes after the path for objects that are stored whole. */
  wholeSuffixes: readonly string[]
}

const fallbackSuffix = '::noslice'
const rangeMark = 'bytes='
const rangePattern = /^bytes=(\d{1,15})-(\d{1,15})$/

/** Prefixes of a per-host proxy with the service of their logs. */
const perHost = {
  'lancache-steam': { service: 'steam', isSliced: false, isRaw: false },
  'lancache-epicgames': { service: 'epicgames', isSliced: false, isRaw: true },
  'lancache-riot': { service: 'riot', isSliced: false, isRaw: true },
  'lancache-blizzard': { service: 'blizzard', isSliced: true, isRaw: false },
  'lancache-windows-update': { service: 'wsus', isSliced: true, isRaw: false },
} as const
type PerHost = { service: string; isSliced: boolean; isRaw: boolean }
const byPrefix: ReadonlyMap<string, PerHost> = new Map(Object.entries(perHost))
const byService: ReadonlyMap<string, KeyFormat> = new Map(
  Object.entries(perHost).map(([keyTag, { service, isSliced, isRaw }]) => [
    service,
    { keyTag, isSliced, isRaw, wholeSuffixes: [''] },
  ]),
)
/** Services whose requests the per-host proxy stores with those of Windows Update. */
const windowsUpdate: ReadonlySet<string> = new Set(['xbox', 'xboxlive', 'windows-update'])

/** Key prefix of a per-host proxy for Riot Games, whose objects only a host assigns to a title. */
export const deltaPerHostTag = 'lancache-riot' satisfies keyof typeof perHost

/** `tag`: of a log line or of a key. Null: how the proxy stores requests of this tag is unknown. */
export function keyFormatOf(scheme: KeyScheme, tag: string): KeyFormat | null {
  if (scheme === 'monolithic') {
    if (tag === '') return null
    return { keyTag: tag, isSliced: true, isRaw: false, wholeSuffixes: ['', fallbackSuffix] }
  }
  const service = serviceOfTag(tag.replace(/^lancache-/i, ''))
  return byService.get(windowsUpdate.has(service) ? 'wsus' : service) ?? null
}

/** The service name that reports use for a key's tag. */
export const serviceOfKeyTag = (keyTag: string): string =>
  byPrefix.get(keyTag)?.service ?? serviceOfTag(keyTag)

/** Keys with this tag contain the request target as sent, query included. */
export const isRawTarget = (keyTag: string): boolean => byPrefix.get(keyTag)?.isRaw ?? false

/** Equal for all slices of one object; ignores the queries of per-host keys. */
export const objectHashOf = (keyTag: string, uri: string): number =>
  hash53(`${keyTag}${isRawTarget(keyTag) ? normalisedPath(uri) : uri}`)

/** The stored part of an object: a slice by its first byte, or all of it. */
export type SliceRange = { kind: 'whole' } | { kind: 'slice'; start: number }

/** First byte of the slice that holds a byte; null where objects are stored whole. */
export const sliceStartAt = ({ isSliced }: KeyFormat, firstByte: number, sliceBytes: number) =>
  isSliced && sliceBytes > 0 ? Math.floor(firstByte / sliceBytes) * sliceBytes : null

/**
 * Parts that the cache status of a line can be about: nginx logs that of the first slice, and
 * nothing about the others. The proxy may also have stored the object whole, so that is the last part.
 */
export function partsOf(format: KeyFormat, firstByte: number, sliceBytes: number): SliceRange[] {
  const start = sliceStartAt(format, firstByte, sliceBytes)
  return [...(start === null ? [] : [{ kind: 'slice', start } as const]), { kind: 'whole' }]
}

/** Keys under which a part can be stored; the range of a slice is not cut at the object's end. */
export function keysOfPart(format: KeyFormat, uri: string, part: SliceRange, sliceBytes: number) {
  const object = `${format.keyTag}${uri}`
  if (part.kind === 'slice') {
    const end = part.start + sliceBytes - 1
    return [{ key: `${object}bytes=${part.start}-${end}`, isNoSlice: false }]
  }
  return format.wholeSuffixes.map((suffix) => ({
    key: `${object}${suffix}`,
    isNoSlice: suffix !== '',
  }))
}

/** All keys that the cache file with `firstByte` can have, that of its slice first. */
export const keysAt = (format: KeyFormat, uri: string, firstByte: number, sliceBytes: number) =>
  partsOf(format, firstByte, sliceBytes).flatMap((part) =>
    keysOfPart(format, uri, part, sliceBytes).map(({ key }) => key),
  )

/** A parsed cache key: `<tag><path><suffix>`. */
export interface CacheKey {
  tag: string
  uri: string
  /** First byte of the slice; -1: no range in the key; -2: stored by the no-slice fallback. */
  sliceStart: number
  /** Last byte of the key's range; -1 without a range. */
  sliceEnd: number
}

const noSliceStart = -1
export const fallbackStart = -2

/** Null without a path: not a proxy's key. */
export function parseKey(key: string): CacheKey | null {
  const slash = key.indexOf('/')
  if (slash < 0) return null
  const tag = key.slice(0, slash)
  if (key.endsWith(fallbackSuffix)) {
    const uri = key.slice(slash, -fallbackSuffix.length)
    return { tag, uri, sliceStart: fallbackStart, sliceEnd: -1 }
  }
  const mark = key.lastIndexOf(rangeMark)
  const range = mark < 0 ? null : rangePattern.exec(key.slice(mark))
  if (range === null) {
    return { tag, uri: key.slice(slash), sliceStart: noSliceStart, sliceEnd: -1 }
  }
  const uri = key.slice(slash, mark)
  // A path cannot be empty, so this is a path that merely looks like a range.
  if (uri === '') return { tag, uri: key.slice(slash), sliceStart: noSliceStart, sliceEnd: -1 }
  return { tag, uri, sliceStart: Number(range[1]), sliceEnd: Number(range[2]) }
}

export const pathLengthMax = 2000

/** The path from which the proxy builds cache keys: decoded, merged, dots resolved, no query. */
export function normalisedPath(target: string): string {
  let path = target
  const scheme = /^https?:\/\/[^/]*/i.exec(path)
  if (scheme !== null) path = path.slice(scheme[0].length)
  const question = path.indexOf('?')
  if (question >= 0) path = path.slice(0, question)
  if (path.includes('%')) {
    const bytes = Buffer.from(path, 'utf8').toString('latin1')
    const decoded = bytes.replaceAll(/%([0-9A-Fa-f]{2})/g, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    )
    path = Buffer.from(decoded, 'latin1').toString('utf8')
  }
  if (path.includes('//') || path.includes('/.')) path = resolveDots(path)
  return cleanText(path, pathLengthMax)
}

function resolveDots(path: string): string {
  const kept: string[] = []
  const parts = path.split('/').slice(1)
  for (const part of parts) {
    if (part === '..') kept.pop()
    else if (part !== '' && part !== '.') kept.push(part)
  }
  const last = parts.at(-1)
  const isDirectory = kept.length > 0 && (last === '' || last === '.' || last === '..')
  return `/${kept.join('/')}${isDirectory ? '/' : ''}`
}
