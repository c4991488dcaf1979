import { join } from 'node:path'
import { oddSlices, type SliceStatement } from '../corruption/disagreement.ts'
import type { ObjectPiece, ObjectReport, SliceGap } from './doctor-contract.ts'
import { digestsAt, indexedDigests, slicesMax, type ObjectPlace } from './doctor-find.ts'
import { readPiece, type FoundPiece } from './doctor-read.ts'
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
export async function findPieces(session: CacheSession, place: ObjectPlace): Promise<FoundPiece[]> {
  const tree = treeOf(place)
  const indexed = await indexedDigests(session, place)
  const found = new Map<string, FoundPiece>()
  const asked = new Set<string>()

  async function look(wanted: Wanted[]): Promise<number> {
    const news = wanted.filter(({ digest }) => !asked.has(digest))
    for (const { digest } of news) asked.add(digest)
    const own = wanted.map(({ digest }) => digest)
    const pieces = await Promise.all(
      news.map(({ digest, guess }) => {
        const facts = { own, guess, isInIndex: indexed.has(digest) }
        return readPiece(place, join(tree, pathOfDigest(digest)), facts)
      }),
    )
    for (const piece of pieces) if (piece !== null) found.set(piece.piece.digest, piece)
    return pieces.filter((piece) => piece !== null).length
  }

  const whole = digestsAt(place, 0)
  await look(whole.map((digest, at) => ({ digest, guess: at === 0 && isSliced(place) ? 0 : -1 })))
  const known = [...indexed].map(([digest, guess]) => ({ digest, guess }))
  for (let at = 0; at < known.length; at += inFlight) {
    await look(known.slice(at, at + inFlight))
    await turn()
  }
  if (isSliced(place)) await probe(place, { found, look })
  return [...found.values()].toSorted(
    ({ piece: a }, { piece: b }) =>
      (a.sliceStart ?? -1) - (b.sliceStart ?? -1) || (a.digest < b.digest ? -1 : 1),
  )
}

const isSliced = ({ sliceBytes }: ObjectPlace): boolean => sliceBytes > 0

/** Searches for slices that the index does not know (yet), up to the end of the object. */
async function probe(
  place: ObjectPlace,
  of: { found: Map<string, FoundPiece>; look(wanted: Wanted[]): Promise<number> },
): Promise<void> {
  const { sliceBytes } = place
  let misses = 0
  for (let slice = 0; slice < slicesMax; slice += inFlight) {
    const total = lengthOf([...of.found.values()].map(({ piece }) => piece))
    const last = total === null ? null : Math.ceil(total / sliceBytes) - 1
    if (last !== null ? slice > last : misses >= missesMax) return
    const wanted: Wanted[] = []
    for (let at = slice; at < slice + inFlight; at++) {
      const guess = at * sliceBytes
      const [digest] = digestsAt(place, guess)
      if (digest !== undefined) wanted.push({ digest, guess })
    }
    misses = (await of.look(wanted)) > 0 ? 0 : misses + wanted.length
    await turn()
  }
}

const totalIn = (contentRange: string | null): number | null => {
  const total = /\/(\d{1,15})$/.exec(contentRange ?? '')?.[1]
  return total === undefined ? null : Number(total)
}

/** Object length stated by most of its cache files; on a tie, the larger one. */
function lengthOf(pieces: readonly ObjectPiece[]): number | null {
  const counts = new Map<number, number>()
  for (const piece of pieces) {
    const total = piece.httpStatus === 206 ? totalIn(piece.contentRange) : piece.contentLength
    if (total !== null) counts.set(total, (counts.get(total) ?? 0) + 1)
  }
  const [best] = [...counts].toSorted((a, b) => b[1] - a[1] || b[0] - a[0])
  return best?.[0] ?? null
}

/** Report on an object, derived from its cache files. */
export function reportOf(place: ObjectPlace, found: readonly FoundPiece[]): ObjectReport {
  const pieces = found.map(({ piece }) => piece)
  markDisagreements(pieces)
  const objectBytes = lengthOf(pieces)
  const { holes, missingAtEnd } = gapsOf(pieces, objectBytes, place.sliceBytes)
  return {
    datasource: place.root.datasource,
    keyTag: place.keyTag,
    path: place.uri,
    sliceBytes: place.sliceBytes,
    objectBytes,
    pieces: pieces.slice(0, slicesMax),
    isCut: pieces.length > slicesMax,
    holes,
    missingAtEnd,
    storedBytes: pieces.reduce((sum, { fileBytes }) => sum + fileBytes, 0),
  }
}

function markDisagreements(pieces: ObjectPiece[]): void {
  const statements = new Map<string, SliceStatement>()
  for (const piece of pieces) {
    const isComparable =
      piece.sliceStart !== null &&
      piece.key !== null &&
      piece.findings.length === 0 &&
      !piece.hasVary
    if (!isComparable) continue
    statements.set(piece.digest, {
      digest: piece.digest,
      sliceStart: piece.sliceStart ?? 0,
      etag: piece.etag,
      lastModifiedAt: piece.lastModifiedAt,
      totalLength: piece.httpStatus === 206 ? totalIn(piece.contentRange) : piece.contentLength,
    })
  }
  const odd = oddSlices([...statements.values()])
  for (const { slice, fields } of odd) {
    const piece = pieces.find(({ digest }) => digest === slice.digest)
    if (piece === undefined) continue
    piece.disagreesIn = fields
    piece.findings = [...piece.findings, 'slice_disagreement']
  }
}

/** Missing slices. An object that is stored whole has none. */
export function gapsOf(
  pieces: readonly Pick<ObjectPiece, 'slice' | 'httpStatus' | 'sliceStart'>[],
  objectBytes: number | null,
  sliceBytes: number,
): { holes: SliceGap[]; missingAtEnd: SliceGap | null } {
  const none = { holes: [], missingAtEnd: null }
  const isWhole = pieces.some(({ slice, httpStatus }) => slice === null || httpStatus === 200)
  if (isWhole || sliceBytes <= 0) return none
  const slices = [...new Set(pieces.map(({ slice }) => slice ?? 0))].toSorted((a, b) => a - b)
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
