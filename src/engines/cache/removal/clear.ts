import { closeSync, constants, fstatSync, lstatSync, openSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import type { JobContext } from '../../engine.ts'
import {
  emptyFolder,
  mirrorEmpty,
  noteProblem,
  nothingCleared,
  withEmptyFolder,
  type FolderCleared,
} from './clear-folder.ts'
import type { ClearOptions, ClearOutcome, DeletionRate } from '../contract.ts'
import type { CacheSession } from '../index/session.ts'
import type { CacheStore, RootRow } from '../index/store.ts'
import { diskProblem, entriesOf, hasCode, TreeProblem } from '../index/tree.ts'
import { TreePlace } from '../index/tree-place.ts'

const twoHex = /^[0-9a-f]{2}$/
const reportEveryMs = 500
const threadsMax = 16
/** The first report is due at once. */
const never = Number.NEGATIVE_INFINITY
/** Clearing fewer files says nothing about how long a full cache takes. */
const rateFilesMin = 1000

interface Run {
  store: CacheStore
  root: RootRow
  place: TreePlace
  outcome: ClearOutcome
  options: ClearOptions
  context: JobContext
  folders: string[]
  active: number
  lastMs: number
  /** For the rate: directories that were listed, and the time for them and for everything. */
  directories: number
  directoryMs: number
  busyMs: number
}

/** See `CacheEngine.clear`. */
export async function clearTree(
  session: CacheSession,
  options: ClearOptions,
  context: JobContext,
): Promise<ClearOutcome> {
  const startedMs = performance.now()
  const outcome: ClearOutcome = {
    state: 'complete',
    problem: null,
    directoriesProcessed: 0,
    totalDirectories: 0,
    filesDeleted: 0,
    bytesDeleted: 0,
    entriesLeft: 0,
    permissionErrors: 0,
    freeSpaceGained: null,
  }
  let run: Run | null = null
  try {
    const root = rootOf(session, options.datasource)
    const place = new TreePlace(root.path)
    const freeBytes = freeBytesOf(root.path)
    const folders = hashFolders(root.path)
    outcome.totalDirectories = folders.length
    const counts = { active: 0, lastMs: never, directories: 0, directoryMs: 0, busyMs: 0 }
    const { store } = session
    run = { store, root, place, outcome, options, context, folders, ...counts }
    const cleared = run
    if (options.mode === 'rsync') await withEmptyFolder((empty) => clearFolders(cleared, empty))
    else await clearFolders(run, '')
    outcome.freeSpaceGained = freeBytesOf(root.path) - freeBytes
  } catch (error) {
    if (!(error instanceof TreeProblem)) throw error
    outcome.state = 'failed'
    outcome.problem ??= error.message
  }
  if (run !== null) finish(run, performance.now() - startedMs)
  return outcome
}

function rootOf(session: CacheSession, datasource: string): RootRow {
  const root = session.rootOf(datasource)
  if (root === null) throw new TreeProblem(`The datasource ${datasource} is not configured`)
  if (session.isUnresponsive(root.id)) {
    throw new TreeProblem(`The file system of ${root.path} does not answer`)
  }
  return root
}

/** What may still be written to the disk below a path, bytes. */
function freeBytesOf(path: string): number {
  try {
    const { bavail, bsize } = statfsSync(path)
    return bavail * bsize
  } catch (error) {
    throw new TreeProblem(diskProblem(error, path))
  }
}

const isDirectory = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false

/** Real directories with a hash name; everything else at the root is none of the cache. */
function hashFolders(root: string): string[] {
  try {
    return entriesOf(root)
      .map(({ name }) => name)
      .filter((name) => twoHex.test(name) && isDirectory(join(root, name)))
      .sort()
  } catch (error) {
    throw new TreeProblem(diskProblem(error, root))
  }
}

/** Several at once; each takes the next directory until none is left or something failed. */
async function clearFolders(run: Run, empty: string): Promise<void> {
  const threads = Math.max(1, Math.min(run.options.threads, threadsMax))
  const queue = run.folders.values()
  const worker = async () => {
    for (const name of queue) {
      if (run.context.isCancelled() && run.outcome.state === 'complete') {
        run.outcome.state = 'cancelled'
      }
      if (run.outcome.state !== 'complete') return
      run.active++
      try {
        await clearFolder(run, name, empty)
      } catch (error) {
        // The others stop too, before the caller is told.
        run.outcome.state = 'failed'
        throw error
      } finally {
        run.active--
      }
      report(run)
    }
  }
  const ends = await Promise.allSettled(Array.from({ length: threads }, worker))
  for (const end of ends) if (end.status === 'rejected') throw end.reason
  run.lastMs = never
  report(run)
}

/** One first-level directory. Throws TreeProblem when the disk went away or was changed. */
async function clearFolder(run: Run, name: string, empty: string): Promise<void> {
  const { store, root, place, outcome, options } = run
  const path = join(root.path, name)
  const sum = nothingCleared()
  const startMs = performance.now()
  place.check()
  if (options.mode === 'rsync') await mirror(run, { name, path, empty }, sum)
  else if (isOfTree(run, path)) {
    const isOver = () => outcome.state === 'failed'
    const keepsFolders = options.mode === 'preserve'
    await emptyFolder(path, { keepsFolders, device: place.device, isOver }, sum)
  }
  run.busyMs += performance.now() - startMs
  run.directories += sum.directories
  run.directoryMs += sum.directoryMs
  outcome.directoriesProcessed++
  outcome.filesDeleted += sum.filesDeleted
  outcome.bytesDeleted += sum.bytesDeleted
  outcome.entriesLeft += sum.entriesLeft
  outcome.permissionErrors += sum.permissionErrors
  outcome.problem ??= sum.problem
  if (sum.problem !== null) outcome.state = 'failed'
  // Below a disk that went away nothing is left: that is not believed.
  place.check()
  if (outcome.state !== 'failed') store.transaction(() => forget(store, root.id, topOf(name)))
}

const topOf = (name: string): number => Number.parseInt(name, 16)

/** Somebody else may have removed it, or put a link or another disk there. */
function isOfTree({ place }: Run, path: string): boolean {
  try {
    const stats = lstatSync(path)
    return stats.isDirectory() && stats.dev === place.device
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return false
    throw new TreeProblem(diskProblem(error, path))
  }
}

async function mirror(
  { store, root, place }: Run,
  { name, path, empty }: { name: string; path: string; empty: string },
  sum: FolderCleared,
): Promise<void> {
  let file: number
  try {
    const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants
    file = openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  } catch (error) {
    if (!hasCode(error, 'ELOOP')) noteProblem(sum, error, path)
    return
  }
  try {
    if (fstatSync(file).dev !== place.device) return
    const known = knownIn(store, root.id, topOf(name))
    await mirrorEmpty(empty, { path, file }, sum)
    if (sum.problem === null) sum.bytesDeleted = known.bytes
  } finally {
    closeSync(file)
  }
}

/** What the index knows of one first-level directory. */
function knownIn({ database }: CacheStore, rootId: number, top: number) {
  const sums = database.query<{ bytes: number }, [number, number, number]>(
    `SELECT coalesce(sum(bytes), 0) AS bytes FROM cache_file
       WHERE root_id = ? AND dir >= ? AND dir < ?`,
  )
  return sums.get(rootId, top * 256, top * 256 + 256) ?? { bytes: 0 }
}

/** The files of one first-level directory leave the index; the next walk looks at it anew. */
function forget({ database }: CacheStore, rootId: number, top: number): void {
  const range = [rootId, top * 256, top * 256 + 256] as const
  database.query('DELETE FROM cache_file WHERE root_id = ? AND dir >= ? AND dir < ?').run(...range)
  database
    .query(
      `UPDATE cache_directory SET mtime_ms = -1, files = 0, bytes = 0
         WHERE root_id = ? AND dir >= ? AND dir < ?`,
    )
    .run(...range)
}

function finish(run: Run, durationMs: number): void {
  const { store, root, outcome, options } = run
  store.transaction(() => {
    store.setRoot(root.id, store.directorySums(root.id))
    refreshContents(store, root.id)
    store.database.query('DELETE FROM structural_state WHERE root_id = ?').run(root.id)
    store.deleteMeta('sizeScan')
    if (outcome.state !== 'complete' || outcome.filesDeleted < rateFilesMin) return
    store.setMeta(`deletionRate:${options.mode}`, rateOf(run, durationMs))
  })
}

/** Directories are worked on at once: what passed on the clock is shared out by what was busy. */
function rateOf(run: Run, durationMs: number): DeletionRate {
  const { busyMs, directoryMs, directories, outcome } = run
  const share = directories === 0 ? 0 : directoryMs / Math.max(busyMs, 1)
  const seconds = durationMs / 1000
  return {
    secondsPerFile: ((1 - share) * seconds) / outcome.filesDeleted,
    secondsPerDirectory: (share * seconds) / Math.max(directories, 1),
  }
}

/** Contents stay even when they are empty: a walk under way may be about to add files to them. */
function refreshContents({ database }: CacheStore, rootId: number): void {
  database.query('UPDATE cache_content SET files = 0, bytes = 0 WHERE root_id = ?').run(rootId)
  database
    .query(
      `UPDATE cache_content SET files = s.files, bytes = s.bytes FROM
         (SELECT content_id, count(*) AS files, sum(bytes) AS bytes FROM cache_file
            WHERE root_id = ? GROUP BY content_id) AS s
         WHERE s.content_id = cache_content.id`,
    )
    .run(rootId)
}

function report(run: Run): void {
  const now = performance.now()
  if (now - run.lastMs < reportEveryMs) return
  run.lastMs = now
  const { directoriesProcessed, totalDirectories, filesDeleted, bytesDeleted } = run.outcome
  run.context.progress({
    directoriesProcessed,
    totalDirectories,
    filesDeleted,
    bytesDeleted,
    activeDirectories: run.active,
  })
}
