import type { Tone } from '../figures.tsx'
import type { GameRef } from '../../format/image-address.ts'
import { oneOf } from '../../app/search-parts.ts'

/** A game on a shelf. */
export interface ShelfItem {
  key: string
  name: string
  /** Its platform's colour is that of a tile without an image. */
  service: string
  image: GameRef | null
  badge: { tone: Tone; label: string } | null
  /** The line below the name. */
  note: string
  bytes: number | null
  /** It cannot be chosen. */
  isOff?: boolean
  /** Of a download; null: none. */
  percent?: number | null
}

export const sizeBands = ['small', 'medium', 'large'] as const
export type SizeBand = (typeof sizeBands)[number]
export const sizeBandOf = (value: unknown): SizeBand | undefined => oneOf(sizeBands, value)

const gigabyte = 1e9
/** From, inclusive, and to, exclusive. */
const limits: Readonly<Record<SizeBand, readonly [number, number]>> = {
  small: [0, 10 * gigabyte],
  medium: [10 * gigabyte, 50 * gigabyte],
  large: [50 * gigabyte, Infinity],
}

/** Without a band every size is one of it; an unknown size is of none. */
export function isOfSize(bytes: number | null, band: SizeBand | undefined): boolean {
  if (band === undefined) return true
  const [from, to] = limits[band]
  return bytes !== null && bytes >= from && bytes < to
}
