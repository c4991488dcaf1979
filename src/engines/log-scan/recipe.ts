import type { KeyScheme } from '../cache/contract.ts'
import type { Tag } from '../logs/lines/line.ts'
import type { ObservedRange } from './contract.ts'

/** How a proxy makes cache keys for the requests of a tag. */
export interface Recipe {
  keyTag: string
  /** Stored in slices, each under its own key. */
  isSliced: boolean
  /** The request target itself is part of the key: query kept, nothing decoded. */
  isRaw: boolean
  /** What follows the path where an object is stored in one piece. */
  wholeSuffixes: readonly string[]
}

const perHost: Readonly<Record<string, Omit<Recipe, 'wholeSuffixes'>>> = {
  steam: { keyTag: 'lancache-steam', isSliced: false, isRaw: false },
  epicgames: { keyTag: 'lancache-epicgames', isSliced: false, isRaw: true },
  riot: { keyTag: 'lancache-riot', isSliced: false, isRaw: true },
  blizzard: { keyTag: 'lancache-blizzard', isSliced: true, isRaw: false },
  wsus: { keyTag: 'lancache-windows-update', isSliced: true, isRaw: false },
}

/** Null: nothing is known about how requests of this tag are stored. */
export function recipeOf(scheme: KeyScheme, tag: Tag): Recipe | null {
  if (scheme === 'monolithic') {
    if (tag.text === '') return null
    return { keyTag: tag.text, isSliced: true, isRaw: false, wholeSuffixes: ['', '::noslice'] }
  }
  const known = Object.hasOwn(perHost, tag.service) ? perHost[tag.service] : undefined
  return known === undefined ? null : { ...known, wholeSuffixes: [''] }
}

/** Pieces of one request that are looked at; a request for more of them counts for the first. */
export const maxSlices = 4096

/** A piece of an object: a slice by its first byte, or all of it. */
export type Piece = { kind: 'whole' } | { kind: 'slice'; start: number }

/** Pieces that a request touched. Without a range: as many slices as the answer had bytes for. */
export function piecesOf(
  recipe: Recipe,
  range: ObservedRange,
  answer: { bytes: number; sliceBytes: number },
): Piece[] {
  const whole: Piece = { kind: 'whole' }
  const { bytes, sliceBytes } = answer
  if (!recipe.isSliced || sliceBytes === 0) return [whole]
  const from = range.kind === 'no_range' ? 0 : Math.floor(range.start / sliceBytes)
  const last = range.kind === 'no_range' ? bytes - 1 : range.end
  const to = Math.min(Math.floor(last / sliceBytes), from + maxSlices - 1)
  const pieces: Piece[] = range.kind === 'no_range' ? [whole] : []
  for (let index = from; index <= to; index++) {
    pieces.push({ kind: 'slice', start: index * sliceBytes })
  }
  return pieces
}

/** Keys under which the piece can be stored. */
export function keysOf(
  recipe: Recipe,
  path: string,
  piece: Piece,
  sliceBytes: number,
): { key: string; isNoSlice: boolean }[] {
  const object = `${recipe.keyTag}${path}`
  if (piece.kind === 'slice') {
    const end = piece.start + sliceBytes - 1
    return [{ key: `${object}bytes=${piece.start}-${end}`, isNoSlice: false }]
  }
  return recipe.wholeSuffixes.map((suffix) => ({
    key: `${object}${suffix}`,
    isNoSlice: suffix !== '',
  }))
}

const oneRange = /^bytes=(\d{1,15})-(\d{1,15})$/

/** A range header as the log has it; null: one that names no piece. */
export function rangeOf(text: string): ObservedRange | null {
  if (text === '' || text === '-') return { kind: 'no_range' }
  const match = oneRange.exec(text)
  if (match === null) return null
  const [start, end] = [Number(match[1]), Number(match[2])]
  return end < start ? null : { kind: 'inclusive', start, end }
}
