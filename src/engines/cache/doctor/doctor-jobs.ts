import type { JobContext } from '../../engine.ts'
import type { ObjectOutcome, ObjectRequest, PurgeOutcome } from './doctor-contract.ts'
import { knownPlaces, placeOf, type ObjectPlace } from './doctor-find.ts'
import { findCacheFiles, reportOf } from './doctor-object.ts'
import type { FoundCacheFile } from './doctor-read.ts'
import { dirOfDigest } from '../format/key.ts'
import { dropRows } from '../removal/removal.ts'
import { indexedFile } from '../removal/removal-rows.ts'
import { cacheSession, type CacheSession } from '../index/session.ts'
import { unlinkCacheFile } from '../removal/unlink-cache-file.ts'
import { isSamePrint, printOf } from '../format/fingerprint.ts'
import { diskProblem, TreeProblem } from '../index/tree.ts'

/** Tags checked for one object. */
const tagsMax = 200

const unknownKeys = 'The cache key format of this tag is unknown for this datasource'

/** The place if it can be inspected, or why not. */
function usablePlace(
  session: CacheSession,
  request: ObjectRequest,
): { place: ObjectPlace } | { problem: string } {
  const place = placeOf(session, request)
  if (place === null) return { problem: unknownKeys }
  if (session.isUnresponsive(place.root.id)) return { problem: 'The file system does not answer' }
  return { place }
}

async function object(request: ObjectRequest): Promise<ObjectOutcome> {
  const session = cacheSession()
  const usable = usablePlace(session, request)
  if ('problem' in usable) return { kind: 'refused', problem: usable.problem }
  try {
    const found = await findCacheFiles(session, usable.place)
    return { kind: 'read', report: reportOf(usable.place, found) }
  } catch (error) {
    if (!(error instanceof TreeProblem)) throw error
    return { kind: 'refused', problem: error.message }
  }
}

async function tagsOf(input: {
  request: Omit<ObjectRequest, 'tag'>
  tags: string[]
}): Promise<string[]> {
  const session = cacheSession()
  const places = input.tags.slice(0, tagsMax).flatMap((tag) => {
    const place = placeOf(session, { ...input.request, tag })
    return place === null ? [] : [{ tag, place }]
  })
  const known = await knownPlaces(
    session,
    places.map(({ place }) => place),
  )
  return places.filter(({ place }) => known.has(place)).map(({ tag }) => tag)
}

async function purge(
  request: ObjectRequest & { sliceStart: number | null },
  context: JobContext,
): Promise<PurgeOutcome> {
  const session = cacheSession()
  const outcome: PurgeOutcome = {
    state: 'complete',
    filesDeleted: 0,
    bytesFreed: 0,
    alreadyMissing: 0,
    filesChanged: 0,
    problem: null,
  }
  const usable = usablePlace(session, request)
  if ('problem' in usable) return { ...outcome, state: 'failed', problem: usable.problem }
  const { place } = usable
  const gone: FoundCacheFile[] = []
  try {
    const found = await findCacheFiles(session, place)
    const { sliceStart } = request
    const wanted = found.filter(
      ({ file }) => sliceStart === null || (file.sliceStart ?? 0) === sliceStart,
    )
    for (const one of wanted) {
      if (context.isCancelled()) return { ...outcome, state: 'cancelled' }
      if (removeCacheFile(place, one, outcome)) gone.push(one)
    }
    return outcome
  } catch (error) {
    const problem =
      error instanceof TreeProblem ? error.message : diskProblem(error, 'A cache file')
    return { ...outcome, state: 'failed', problem }
  } finally {
    forget(session, place, gone)
  }
}

/** Unlinks the file unless it changed since it was read. True: it is no longer on disk. */
function removeCacheFile(
  { root }: ObjectPlace,
  { file, inspection }: FoundCacheFile,
  outcome: PurgeOutcome,
): boolean {
  const end = unlinkCacheFile(root.path, file.digest, (stats) =>
    isSamePrint(printOf(stats), inspection.print),
  )
  if (end === 'changed') outcome.filesChanged++
  else if (end === 'missing') outcome.alreadyMissing++
  else {
    outcome.filesDeleted++
    outcome.bytesFreed += file.fileBytes
  }
  return end !== 'changed'
}

/** Drops the index entries of deleted files. */
function forget({ store }: CacheSession, { root }: ObjectPlace, gone: FoundCacheFile[]): void {
  const row = indexedFile(store.database)
  const rows = gone.flatMap(({ file: { digest } }) => {
    const known = row.get(root.id, dirOfDigest(digest), digest)
    return known === null ? [] : [{ ...known, content: null }]
  })
  if (rows.length > 0) store.transaction(() => dropRows(store, root.id, rows))
}

/** Jobs about single objects. */
export const doctorJobs = { object, tagsOf, purge }
