/*
 * Clearing deletes cache files, not folder contents. A file is deleted when its name is 32 hex
 * digits, its folders are the ones that the name demands, and the `KEY:` line in its header has
 * that name as MD5 (or it is the variant that the header names). The levels are those of the first
 * such file, trying two before one and three. A file whose inode, length and times equal those
 * that the index judged is not read again: its change time cannot be set by hand. Files that the
 * proxy is writing (name, dot, ten digits), damaged files without a `KEY:` line, links, special
 * files, mounts and everything else are left and counted. Where no cache file is found nothing is
 * deleted: a tree with other files is refused, an empty one is a new cache. The deletion method
 * `rsync` requires the program, as the API documents, but does not start it: rsync cannot check
 * keys and resolves names by path while it deletes. The method deletes like `full`, eight files of
 * a folder at a time. Both leave the folders of the first level: nginx creates missing folders
 * from the top, and breaks a download off when one vanishes before it has created the next.
 * `bytesDeleted` adds up lengths and `freeSpaceGained` is measured on the disk; they differ by
 * block sizes, other writers, and files that are still being read.
 */
import { lstatSync, statfsSync } from 'node:fs'
import { pace } from '../../../core/lib/pace.ts'
import type { JobContext } from '../../engine.ts'
import { emptyFolder, nothingCleared } from './clear-folder.ts'
import type { ClearOptions, ClearOutcome, ClearProgress, DeletionRate } from '../contract.ts'
import type { Fingerprint } from '../format/fingerprint.ts'
import { evidenceIn, hashName, type HashFolder } from './hash-folder.ts'
import { noteEmptied } from '../index/emptied-folder.ts'
import type { CacheSession } from '../index/session.ts'
import type { RootRow } from '../index/rows.ts'
import type { CacheStore } from '../index/store.ts'
import { diskProblem, entriesOf, TreeProblem } from '../index/tree.ts'
import { HeldTree } from '../index/held-tree.ts'

const reportEveryMs = 500
const threadsMax = 16
/** Clearing fewer files predicts nothing about a full cache. */
const rateFilesMin = 1000
/** Files in parallel on slow disks, which usually means network file systems. */
const inFlight = { preserve: 1, full: 1, rsync: 8 } as const

interface Run {
  store: CacheStore
  root: RootRow
  place: HeldTree
  /** Levels of hash folders. */
  levels: number
  outcome: ClearOutcome
  options: ClearOptions
  context: JobContext<ClearProgress>
  folders: string[]
  active: number
  isDue: ReturnType<typeof pace>
  /** For the rate: listed directories, and the time for them and in total. */
  directories: number
  directoryMs: number
  busyMs: number
}

/** See `CacheEngine.clear`. */
export async function clearTree(
  session: CacheSession,
  options: ClearOptions,
  context: JobContext<ClearProgress>,
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
  const begun = begin(session, options, outcome)
  if (begun === null) return outcome
  const { root, place } = begun
  let run: Run | null = null
  try {
    const freeBytes = freeBytesOf(root.path)
    const folders = hashFolders(place)
    outcome.totalDirectories = folders.length
    const levels = await levelsOf(place, () => context.isCancelled())
    if (context.isCancelled()) outcome.state = 'cancelled'
    else if (levels === null) outcome.directoriesProcessed = folders.length
    else {
      const counts = { active: 0, directories: 0, directoryMs: 0, busyMs: 0 }
      const isDue = pace(reportEveryMs)
      const { store } = session
      run = { store, root, place, levels, outcome, options, context, folders, isDue, ...counts }
      await clearFolders(run)
    }
    outcome.freeSpaceGained = freeBytesOf(root.path) - freeBytes
  } catch (error) {
    if (!(error instanceof TreeProblem)) throw error
    fail(outcome, error)
  } finally {
    place.close()
  }
  if (run !== null) finish(run, performance.now() - startedMs)
  return outcome
}

function fail(outcome: ClearOutcome, { message }: TreeProblem): void {
  outcome.state = 'failed'
  outcome.problem ??= message
}

function begin(session: CacheSession, { datasource }: ClearOptions, outcome: ClearOutcome) {
  try {
    const root = rootOf(session, datasource)
    return { root, place: new HeldTree(root.path) }
  } catch (error) {
    if (!(error instanceof TreeProblem)) throw error
    fail(outcome, error)
    return null
  }
}

const folderOf = ({ path, folder }: HeldTree): HashFolder => ({
  path,
  folder,
  names: [],
  parent: null,
})

/** Null: the hash folders are empty. Throws TreeProblem if the tree is not a cache. */
async function levelsOf(place: HeldTree, isOver: () => boolean): Promise<number | null> {
  try {
    const { levels, hasForeign } = await evidenceIn(folderOf(place), isOver)
    if (levels !== null || !hasForeign || isOver()) return levels
  } catch (error) {
    throw new TreeProblem(diskProblem(error, place.path))
  }
  throw new TreeProblem(`${place.path} contains no cache files, so nothing in it was deleted`)
}

function rootOf(session: CacheSession, datasource: string): RootRow {
  const root = session.rootOf(datasource)
  if (root === null) throw new TreeProblem(`The datasource ${datasource} is not configured`)
  if (session.isUnresponsive(root.id)) {
    throw new TreeProblem(`The file system of ${root.path} does not answer`)
  }
  if (root.path === '/') throw new TreeProblem('The root directory cannot be a cache')
  return root
}

/** Bytes available on the disk below a path. */
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

/** Real directories with a hash name; nothing else at the root belongs to the cache. */
function hashFolders({ path, folder }: HeldTree): string[] {
  try {
    return entriesOf(folder.pathOf(''))
      .map(({ name }) => name)
      .filter((name) => hashName.test(name) && isDirectory(folder.pathOf(name)))
      .sort()
  } catch (error) {
    throw new TreeProblem(diskProblem(error, path))
  }
}

/** Works in parallel: each task takes the next directory until none is left or one has failed. */
async function clearFolders(run: Run): Promise<void> {
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
        await clearFolder(run, name)
      } catch (error) {
        // Stops the other tasks, too, before the error reaches the caller.
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
  report(run, true)
}

/** One first-level directory. Throws TreeProblem when the disk was removed or replaced. */
async function clearFolder(run: Run, name: string): Promise<void> {
  const { store, root, place, outcome, options, levels } = run
  const sum = nothingCleared()
  const startMs = performance.now()
  place.check()
  const emptying = {
    levels,
    keepsFolders: options.mode === 'preserve',
    inFlight: inFlight[options.mode],
    isOver: () => outcome.state === 'failed',
    judged: (names: string[]) => judgedIn(run, names),
  }
  await emptyFolder(folderOf(place), name, { emptying, sum })
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
  // A removed disk looks empty: that is not trusted.
  place.check()
  if (outcome.state !== 'failed') store.transaction(() => forget(store, root.id, topOf(name)))
}

const topOf = (name: string): number => Number.parseInt(name, 16)

/** Files of one hash folder whose key was read and matches their name. */
function judgedIn({ store, root, levels }: Run, names: string[]): Map<string, Fingerprint> {
  if (levels !== 2) return new Map()
  const rows = store.database.query<Fingerprint & { digest: string }, [number, number]>(
    `SELECT lower(hex(digest)) AS digest, inode, mtime_ms AS mtimeMs, ctime_ms AS ctimeMs, bytes
       FROM cache_file WHERE root_id = ? AND dir = ? AND content_id > 0 AND issues = 0
       AND skipped = 0`,
  )
  const dir = Number.parseInt(names.join(''), 16)
  return new Map(rows.all(root.id, dir).map((row) => [row.digest, row]))
}

/** Drops the files of one first-level directory from the index; the next walk reads it again. */
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
    const sums = store.directorySums(root.id)
    store.setRoot(root.id, sums)
    if (outcome.state === 'complete' && sums.files === 0) noteEmptied(store, root)
    refreshContents(store, root.id)
    store.database.query('DELETE FROM structural_state WHERE root_id = ?').run(root.id)
    store.deleteMeta('sizeScan')
    if (outcome.state !== 'complete' || outcome.filesDeleted < rateFilesMin) return
    store.setMeta(`deletionRate:${options.mode}`, rateOf(run, durationMs))
  })
}

/** Directories run in parallel: divides the elapsed time in proportion to their busy times. */
function rateOf(run: Run, durationMs: number): DeletionRate {
  const { busyMs, directoryMs, directories, outcome } = run
  const share = directories === 0 ? 0 : directoryMs / Math.max(busyMs, 1)
  const seconds = durationMs / 1000
  return {
    secondsPerFile: ((1 - share) * seconds) / outcome.filesDeleted,
    secondsPerDirectory: (share * seconds) / Math.max(directories, 1),
  }
}

/** Keeps empty contents: a running walk may be about to add files to them. */
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

function report(run: Run, isLast = false): void {
  if (!run.isDue(isLast)) return
  const { directoriesProcessed, totalDirectories, filesDeleted, bytesDeleted } = run.outcome
  run.context.progress({
    directoriesProcessed,
    totalDirectories,
    filesDeleted,
    bytesDeleted,
    activeDirectories: run.active,
  })
}
