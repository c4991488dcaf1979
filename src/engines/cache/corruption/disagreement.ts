import { sliceFacts, type SliceFact, type StatedFacts } from './corruption-contract.ts'

/** What one slice states about the whole object; null where it states nothing. */
export interface SliceStatement extends StatedFacts {
  digest: string
  sliceStart: number
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
 * Finds slices of one object that do not belong together. For each fact, the value stated by more
 * than half of the slices that state one is right and the others are odd; without such a majority,
 * all that state one are odd. A slice that states nothing agrees with everything, and a missing
 * slice is no evidence. Two files for one slice hold answers to different kinds of requests (Vary):
 * such an object is not judged, because nothing shows which slices belong together.
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
  const counts = new Map<string | number, number>()
  const stating = slices.filter((slice) => value(slice) !== null)
  for (const slice of stating) {
    const stated = value(slice) ?? ''
    counts.set(stated, (counts.get(stated) ?? 0) + 1)
  }
  if (counts.size < 2) return []
  const majority = [...counts].find(([, count]) => count * 2 > stating.length)
  return majority === undefined ? stating : stating.filter((slice) => value(slice) !== majority[0])
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
