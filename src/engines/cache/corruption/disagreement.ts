/*
 * Slices that disagree. A proxy that hides the ETag joins slices of different versions of one
 * object. Slices are compared by ETag (weak and strong are equal), date and total length. The
 * version that was stored last, by the time in nginx's header, is the origin's current one and all
 * others are reported, however many they are: a lone new slice would be fetched again exactly as
 * it is. Where the newest slices of two versions are of the same second, all slices are reported.
 * A missing value agrees with everything, gaps say nothing, and answers with `Vary` are not
 * compared, because nothing on disk says which of them belong together. An origin that names the
 * same content differently on its servers is reported too; the evidence shows where the slices
 * differ.
 */
import { sliceFacts, type SliceFact } from '../contract.ts'
import type { StatedFacts } from './wire.ts'

/** What one slice states about the whole object; null where it states nothing. */
export interface SliceStatement extends StatedFacts {
  digest: string
  sliceStart: number
  /** Unix seconds; null where the header does not say. */
  storedAt: number | null
}

/** A slice that contradicts the others of its object. */
export interface OddSlice {
  slice: SliceStatement
  fields: SliceFact[]
}

/** Weak and strong ETags name the same content. */
export const plainEtag = (etag: string): string | null => {
  const plain = etag.replace(/^W\//, '')
  return plain === '' ? null : plain
}

const valueOf: Record<SliceFact, (slice: SliceStatement) => string | number | null> = {
  etag: ({ etag }) => (etag === null ? null : plainEtag(etag)),
  lastModified: ({ lastModifiedAt }) => lastModifiedAt,
  totalLength: ({ totalLength }) => totalLength,
}

/**
 * Finds slices of one object that do not belong together. For each fact, the value of the slice that
 * was stored last is the origin's current one, and slices with another value are odd: the majority
 * may be what is left of an old version, and would be fetched again as the new one. Where the
 * newest slices of two values were stored in the same second, or it is not known when, all that
 * state a value are odd. A slice that states nothing agrees with everything, and a missing slice is
 * no evidence. Two files for one slice hold answers to different kinds of requests (Vary): such an
 * object is not judged, because nothing shows which slices belong together.
 */
export function oddSlices(slices: readonly SliceStatement[]): OddSlice[] {
  if (new Set(slices.map(({ sliceStart }) => sliceStart)).size < slices.length) return []
  const odd = new Map<SliceStatement, SliceFact[]>()
  for (const fact of sliceFacts) {
    for (const slice of oddIn(slices, valueOf[fact])) {
      odd.set(slice, [...(odd.get(slice) ?? []), fact])
    }
  }
  return [...odd].map(([slice, fields]) => ({ slice, fields }))
}

function oddIn(
  slices: readonly SliceStatement[],
  value: (slice: SliceStatement) => string | number | null,
): SliceStatement[] {
  const stating = slices.filter((slice) => value(slice) !== null)
  const lastStored = new Map<string | number | null, number>()
  for (const slice of stating) {
    const known = lastStored.get(value(slice)) ?? 0
    lastStored.set(value(slice), Math.max(known, slice.storedAt ?? 0))
  }
  if (lastStored.size < 2) return []
  const newest = Math.max(...lastStored.values())
  const [current, other] = [...lastStored].filter(([, storedAt]) => storedAt === newest)
  const isClear = other === undefined && stating.every(({ storedAt }) => storedAt !== null)
  return isClear ? stating.filter((slice) => value(slice) !== current?.[0]) : stating
}

const siblingsMax = 8

/** What the other slices state, most frequent first. */
export function siblingFacts(slices: readonly SliceStatement[], own: SliceStatement) {
  const groups = new Map<string, { slice: SliceStatement; slices: number }>()
  for (const slice of slices) {
    if (slice === own) continue
    const key = JSON.stringify(sliceFacts.map((fact) => valueOf[fact](slice)))
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { slice, slices: 1 })
    else group.slices++
  }
  return [...groups.values()]
    .toSorted((one, other) => other.slices - one.slices)
    .slice(0, siblingsMax)
    .map(({ slice, slices: count }) => ({
      etag: slice.etag,
      lastModifiedAt: slice.lastModifiedAt,
      totalLength: slice.totalLength,
      slices: count,
      sampleMd5: slice.digest,
      sliceStart: slice.sliceStart,
    }))
}
