import { inSlices } from '../../../core/lib/in-slices.ts'
import { join } from 'node:path'
import { oddSlices, type SliceStatement } from '../corruption/disagreement.ts'
import type { ObjectFile, ObjectReport, SliceGap } from './doctor-contract.ts'
import { digestsAt, indexedDigests, slicesMax, type ObjectPlace } from './doctor-find.ts'
import { readCacheFile, type FoundCacheFile } from './doctor-read.ts'
import { pathOfDigest } from '../format/key.ts'
import { turn, type CacheSession } from '../index/session.ts'
import { canonicalPath, listTree } from '../index/tree.ts'

/** Files opened in parallel; a slow disk serves several at a time. */
const inFlight = 8
/** For objects of unknown length: consecutive missing slices before the search ends. */
const missesMax = 8
/** Gaps listed in a report. */
const gapsMax = 200

/** The current folder of a tree's hash directories. Throws TreeProblem. */
export const treeOf = ({ root }: ObjectPlace): string => listTree(canonicalPath(root.path)).path

interface Wanted {
  digest: string
  guess: number | null
}

/** Every cache file of an object that is on disk now, in slice order. */
export async function findCacheFiles(
  session: CacheSession,
  place: ObjectPlace,
): Promise<FoundCacheFile[]> {
  const tree = treeOf(place)
  const indexed = await indexedDigests(session, place)
  const found = new Map<string, FoundCacheFile>()
  const asked = new Set<string>()

  async function find(wanted: Wanted[]): Promise<number> {
    const news = wanted.filter(({ digest }) => !asked.has(digest))
    for (const { digest } of news) asked.add(digest)
    const own = wanted.map(({ digest }) => digest)
    const files = await Promise.all(
      news.map(({ digest, guess }) => {
        const facts = { own, guess, isInIndex: indexed.has(digest) }
        return readCacheFile(place, join(tree, pathOfDigest(digest)), facts)
      }),
    )
    for (const file of files) if (file !== null) found.set(file.file.digest, file)
    return files.filter((file) => file !== null).length
  }

  const whole = digestsAt(place, 0)
  await find(whole.map((digest, at) => ({ digest, guess: at === 0 && isSliced(place) ? 0 : -1 })))
  const known = [...indexed].map(([digest, guess]) => ({ digest, guess }))
  for (const some of inSlices(known, inFlight)) {
    await find(some)
    await turn()
  }
  if (isSliced(place)) await probe(place, { found, find })
  return [...found.values()].toSorted(
    ({ file: a }, { file: b }) =>
      (a.sliceStart ?? -1) - (b.sliceStart ?? -1) || (a.digest < b.digest ? -1 : 1),
  )
}

const isSliced = ({ sliceBytes }: ObjectPlace): boolean => sliceBytes > 0

/** Searches for slices that the index does not know (yet), up to the end of the object. */
async function probe(
  place: ObjectPlace,
  of: { found: Map<string, FoundCacheFile>; find(wanted: Wanted[]): Promise<number> },
): Promise<void> {
  const { sliceBytes } = place
  let misses = 0
  for (let slice = 0; slice < slicesMax; slice += inFlight) {
    const total = lengthOf([...of.found.values()].map(({ file }) => file))
    const last = total === null ? null : Math.ceil(total / sliceBytes) - 1
    if (last !== null ? slice > last : misses >= missesMax) return
    const wanted: Wanted[] = []
    for (let at = slice; at < slice + inFlight; at++) {
      const guess = at * sliceBytes
      const [digest] = digestsAt(place, guess)
      if (digest !== undefined) wanted.push({ digest, guess })
    }
    misses = (await of.find(wanted)) > 0 ? 0 : misses + wanted.length
    await turn()
  }
}

const totalIn = (contentRange: string | null): number | null => {
  const total = /\/(\d{1,15})$/.exec(contentRange ?? '')?.[1]
  return total === undefined ? null : Number(total)
}

/** Object length stated by most of its cache files; on a tie, the larger one. */
function lengthOf(files: readonly ObjectFile[]): number | null {
  const counts = new Map<number, number>()
  for (const file of files) {
    const total = file.httpStatus === 206 ? totalIn(file.contentRange) : file.contentLength
    if (total !== null) counts.set(total, (counts.get(total) ?? 0) + 1)
  }
  const [best] = [...counts].toSorted((a, b) => b[1] - a[1] || b[0] - a[0])
  return best?.[0] ?? null
}

/** Report on an object, derived from its cache files. */
export function reportOf(place: ObjectPlace, found: readonly FoundCacheFile[]): ObjectReport {
  const files = found.map(({ file }) => file)
  markDisagreements(files)
  const objectBytes = lengthOf(files)
  const { holes, missingAtEnd } = gapsOf(files, objectBytes, place.sliceBytes)
  return {
    datasource: place.root.datasource,
    keyTag: place.format.keyTag,
    path: place.uri,
    sliceBytes: place.sliceBytes,
    objectBytes,
    files: files.slice(0, slicesMax),
    isCut: files.length > slicesMax,
    holes,
    missingAtEnd,
    storedBytes: files.reduce((sum, { fileBytes }) => sum + fileBytes, 0),
  }
}

function markDisagreements(files: ObjectFile[]): void {
  const statements = new Map<string, SliceStatement>()
  for (const file of files) {
    const isComparable =
      file.sliceStart !== null && file.key !== null && file.findings.length === 0 && !file.hasVary
    if (!isComparable) continue
    statements.set(file.digest, {
      digest: file.digest,
      sliceStart: file.sliceStart ?? 0,
      storedAt: file.storedAt,
      etag: file.etag,
      lastModifiedAt: file.lastModifiedAt,
      totalLength: file.httpStatus === 206 ? totalIn(file.contentRange) : file.contentLength,
    })
  }
  const odd = oddSlices([...statements.values()])
  for (const { slice, fields } of odd) {
    const file = files.find(({ digest }) => digest === slice.digest)
    if (file === undefined) continue
    file.disagreesIn = fields
    file.findings = [...file.findings, 'slice_disagreement']
  }
}

/** Missing slices. An object that is stored whole has none. */
export function gapsOf(
  files: readonly Pick<ObjectFile, 'slice' | 'httpStatus' | 'sliceStart'>[],
  objectBytes: number | null,
  sliceBytes: number,
): { holes: SliceGap[]; missingAtEnd: SliceGap | null } {
  const none = { holes: [], missingAtEnd: null }
  const isWhole = files.some(({ slice, httpStatus }) => slice === null || httpStatus === 200)
  if (isWhole || sliceBytes <= 0) return none
  const slices = [...new Set(files.map(({ slice }) => slice ?? 0))].toSorted((a, b) => a - b)
  const last = slices.at(-1)
  if (last === undefined) return none
  const holes: SliceGap[] = []
  let next = 0
  for (const slice of slices) {
    if (slice > next && holes.length < gapsMax) holes.push({ first: next, last: slice - 1 })
    next = slice + 1
  }
  const end = objectBytes === null ? last : Math.ceil(objectBytes / sliceBytes) - 1
  return { holes, missingAtEnd: end > last ? { first: last + 1, last: end } : null }
}
