import { lstatSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import type { JobContext } from '../engine.ts'
import { emptyFolder, mirrorEmpty, nothingCleared, withEmptyFolder } from './clear-folder.ts'
import type { ClearOptions, ClearOutcome } from './contract.ts'
import type { CacheSession } from './session.ts'
import type { CacheStore, RootRow } from './store.ts'
import { canonicalPath, diskProblem, entriesOf, TreeProblem } from './tree.ts'

const twoHex = /^[0-9a-f]{2}$/
const reportEveryMs = 500
const threadsMax = 16
/** Files that may not be removed before the whole clearing stops. */
const permissionErrorsMax = 1

interface Run {
  store: CacheStore
  root: RootRow
  outcome: ClearOutcome
  options: ClearOptions
  context: JobContext
  folders: string[]
  active: number
  lastMs: number
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
  }
  try {
    const root = rootOf(session, options.datasource)
    const { store } = session
    const folders = hashFolders(root.path)
    outcome.totalDirectories = folders.length
    const run = { store, root, outcome, options, context, folders, active: 0, lastMs: 0 }
    if (options.mode === 'rsync') await withEmptyFolder((empty) => clearFolders(run, empty))
    else await clearFolders(run, '')
    finish(run, performance.now() - startedMs)
  } catch (error) {
    if (!(error instanceof TreeProblem)) throw error
    return { ...outcome, state: 'failed', problem: error.message }
  }
  return outcome
}

function rootOf(session: CacheSession, datasource: string): RootRow {
  const root = session.rootOf(datasource)
  if (root === null) throw new TreeProblem(`The datasource ${datasource} is not configured`)
  if (session.isUnresponsive(root.id)) {
    throw new TreeProblem(`The file system of ${root.path} does not answer`)
  }
  if (canonicalPath(root.path) !== root.path) {
    throw new TreeProblem(`${root.path} leads somewhere else now`)
  }
  return root
}

/** Real directories with a hash name; everything else at the root is none of the cache. */
function hashFolders(root: string): string[] {
  try {
    return entriesOf(root)
      .map(({ name }) => name)
      .filter((name) => twoHex.test(name) && lstatSync(join(root, name)).isDirectory())
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
      await clearFolder(run, name, empty)
      run.active--
      report(run)
    }
  }
  await Promise.all(Array.from({ length: threads }, worker))
  run.lastMs = 0
  report(run)
}

async function clearFolder(run: Run, name: string, empty: string): Promise<void> {
  const { store, root, outcome, options } = run
  const path = join(root.path, name)
  // A disk that went away or was changed in between is not touched.
  if (realpathSync(root.path) !== root.path || !lstatSync(path).isDirectory()) return
  const sum = nothingCleared()
  const top = Number.parseInt(name, 16)
  if (options.mode === 'rsync') {
    const known = knownIn(store, root.id, top)
    await mirrorEmpty(empty, path, sum)
    if (sum.problem === null) Object.assign(sum, known)
  } else await emptyFolder(path, { keepsFolders: options.mode === 'preserve' }, sum)
  outcome.directoriesProcessed++
  outcome.filesDeleted += sum.filesDeleted
  outcome.bytesDeleted += sum.bytesDeleted
  outcome.entriesLeft += sum.entriesLeft
  outcome.permissionErrors += sum.permissionErrors
  outcome.problem ??= sum.problem
  if (sum.problem === null) store.transaction(() => forget(store, root.id, top))
  else if (outcome.permissionErrors >= permissionErrorsMax || sum.permissionErrors === 0) {
    outcome.state = 'failed'
  }
}

/** What the index knows of one first-level directory. */
function knownIn({ database }: CacheStore, rootId: number, top: number) {
  const sums = database.query<
    { filesDeleted: number; bytesDeleted: number },
    [number, number, number]
  >(
    `SELECT count(*) AS filesDeleted, coalesce(sum(bytes), 0) AS bytesDeleted FROM cache_file
       WHERE root_id = ? AND dir >= ? AND dir < ?`,
  )
  return sums.get(rootId, top * 256, top * 256 + 256) ?? { filesDeleted: 0, bytesDeleted: 0 }
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
    if (outcome.state !== 'complete' || outcome.filesDeleted === 0) return
    const secondsPerFile = durationMs / 1000 / outcome.filesDeleted
    const rate = { secondsPerFile, secondsPerDirectory: 0 }
    store.setMeta(`deletionRate:${options.mode}`, rate)
  })
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
