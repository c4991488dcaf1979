import type { KeyScheme } from '../cache/contract.ts'
import type { Tag } from '../logs/lines/line.ts'
import type { ObservedRange } from './contract.ts'

/** How a proxy forms the cache keys for requests of a tag. */
export interface KeyFormat {
  keyTag: string
  /** Stored in slices, each under its own key. */
  isSliced: boolean
  /** The key contains the raw request target: with its query, not decoded. */
  isRaw: boolean
  /** Suffixes after the path for objects that are stored whole. */
  wholeSuffixes: readonly string[]
}

const perHost: Readonly<Record<string, Omit<KeyFormat, 'wholeSuffixes'>>> = {
  steam: { keyTag: 'lancache-steam', isSliced: false, isRaw: false },
  epicgames: { keyTag: 'lancache-epicgames', isSliced: false, isRaw: true },
  riot: { keyTag: 'lancache-riot', isSliced: false, isRaw: true },
  blizzard: { keyTag: 'lancache-blizzard', isSliced: true, isRaw: false },
  wsus: { keyTag: 'lancache-windows-update', isSliced: true, isRaw: false },
}

/** Null: how the proxy stores requests of this tag is unknown. */
export function keyFormatOf(scheme: KeyScheme, tag: Tag): KeyFormat | null {
  if (scheme === 'monolithic') {
    if (tag.text === '') return null
    return { keyTag: tag.text, isSliced: true, isRaw: false, wholeSuffixes: ['', '::noslice'] }
  }
  const known = Object.hasOwn(perHost, tag.service) ? perHost[tag.service] : undefined
  return known === undefined ? null : { ...known, wholeSuffixes: [''] }
}

/** The stored part of an object: a slice by its first byte, or all of it. */
export type SliceRange = { kind: 'whole' } | { kind: 'slice'; start: number }

/**
 * Parts that the cache status of a line can be about: nginx logs that of the first slice, and
 * nothing about the others. The proxy may also have stored the object whole.
 */
export function partsOf(keyFormat: KeyFormat, firstByte: number, sliceBytes: number): SliceRange[] {
  const whole: SliceRange = { kind: 'whole' }
  if (!keyFormat.isSliced || sliceBytes === 0) return [whole]
  return [whole, { kind: 'slice', start: Math.floor(firstByte / sliceBytes) * sliceBytes }]
}

/** Keys under which the part can be stored. */
export function keysOf(
  keyFormat: KeyFormat,
  path: string,
  slice: SliceRange,
  sliceBytes: number,
): { key: string; isNoSlice: boolean }[] {
  const object = `${keyFormat.keyTag}${path}`
  if (slice.kind === 'slice') {
    const end = slice.start + sliceBytes - 1
    return [{ key: `${object}bytes=${slice.start}-${end}`, isNoSlice: false }]
  }
  return keyFormat.wholeSuffixes.map((suffix) => ({
    key: `${object}${suffix}`,
    isNoSlice: suffix !== '',
  }))
}

const oneRange = /^bytes=(\d{1,15})-(\d{1,15})$/

/** A range header as logged; null: one that identifies no slice. */
export function rangeOf(text: string): ObservedRange | null {
  if (text === '' || text === '-') return { kind: 'no_range' }
  const match = oneRange.exec(text)
  if (match === null) return null
  const [start, end] = [Number(match[1]), Number(match[2])]
  return end < start ? null : { kind: 'inclusive', start, end }
}
