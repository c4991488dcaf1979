/*
 * Removal. A file is unlinked only while its folders are real directories, it is a regular file
 * with the fingerprint of the index, and its key still names the same content; all others are left
 * alone and counted. Files are removed one by one while the disk answers from memory, and eight at
 * a time when it does not (5000 of a million files, cold: 4 s instead of 22). Unlinking and the
 * change of the index share one slice of 20 ms; after a crash the next walk corrects the index. On
 * a disk that disappears every file looks missing, so the device of the root is checked after each
 * slice before "missing" is accepted. When the walk before a removal fails nothing is removed: an
 * old index does not describe the disk.
 */
import { pace } from '../../../core/lib/pace.ts'
import type { JobContext } from '../../engine.ts'
import {
  nothingFreed,
  type RemovalOptions,
  type RemovalOutcome,
  type RemovalProgress,
  type RemovalSelection,
} from '../contract.ts'
import { TreeRemover, type FileVerdict } from './removal-file.ts'
import { countWanted, wantedPages, type WantedFile, type WantedPage } from './removal-rows.ts'
import { noteEmptied } from '../index/emptied-folder.ts'
import { turn, type CacheSession } from '../index/session.ts'
import type { CacheStore } from '../index/store.ts'
import { listTree, TreeProblem } from '../index/tree.ts'

/** Longest time before yielding to other jobs. */
const sliceMs = 20
/** Reports at most four times a second. */
const reportEveryMs = 250
/** Permission errors after which the whole removal stops. */
const permissionErrorsMax = 10
/** Files in flight where a sequential run would mostly wait for the disk. */
const inFlight = 8
/** A cached file takes a tenth of this; a cold disk is seven times as fast in parallel. */
const slowFileMs = 0.5
/** Fewer files are too few to judge the disk. */
const filesPerBatchMin = 10

interface RemovalInput extends RemovalOptions {
  selection: RemovalSelection
}

class Removal {
  readonly outcome: RemovalOutcome = { ...nothingFreed }
  readonly #context: JobContext<RemovalProgress>
  readonly #filesTotal: number
  #filesDone = 0
  /** The disk is slow: from now on several files are in flight. */
  isSlow = false
  readonly #isDue = pace(reportEveryMs)

  constructor(context: JobContext<RemovalProgress>, filesTotal: number) {
    this.#context = context
    this.#filesTotal = filesTotal
  }

  /** Whether to leave all further files alone. */
  get isOver(): boolean {
    if (this.outcome.state === 'complete' && this.#context.isCancelled()) {
      this.outcome.state = 'cancelled'
    }
    return this.outcome.state !== 'complete'
  }

  unknown(count: number): void {
    this.outcome.alreadyMissing += count
    this.#filesDone += count
  }

  /** True: the file is no longer on disk. */
  count(file: WantedFile, verdict: FileVerdict): boolean {
    const { outcome } = this
    this.#filesDone++
    if (verdict.kind === 'removed') {
      outcome.filesDeleted++
      outcome.bytesFreed += file.bytes
      return true
    }
    if (verdict.kind === 'missing') {
      outcome.alreadyMissing++
      return true
    }
    if (!('problem' in verdict)) {
      outcome.filesChanged++
      return false
    }
    outcome.problem ??= verdict.problem
    if (verdict.kind === 'denied') outcome.permissionErrors++
    const isTooMuch = outcome.permissionErrors >= permissionErrorsMax
    if (verdict.kind === 'failed' || isTooMuch) outcome.state = 'failed'
    return false
  }

  fail(problem: string): void {
    this.outcome.problem ??= problem
    this.outcome.state = 'failed'
  }

  report(isLast = false): void {
    if (!this.#isDue(isLast)) return
    this.#context.progress({
      filesDone: this.#filesDone,
      filesTotal: this.#filesTotal,
      bytesFreed: this.outcome.bytesFreed,
    })
  }

  end(): RemovalOutcome {
    this.report(true)
    if (this.outcome.permissionErrors > 0) this.outcome.state = 'failed'
    return this.outcome
  }
}

/** See `CacheEngine.remove`. A disk error is an outcome, not an exception. */
export async function removeFiles(
  session: CacheSession,
  input: RemovalInput,
  context: JobContext<RemovalProgress>,
): Promise<RemovalOutcome> {
  const { selection, networkDatasources } = input
  const removal = new Removal(context, countWanted(session, selection))
  const removers = new Map<number, TreeRemover>()
  try {
    for (const page of wantedPages(session, selection)) {
      removal.unknown(page.unknown)
      if (page.files.length > 0) {
        if (selection.kind === 'contents') requireBelieved(session, page)
        const remover = removers.get(page.root.id) ?? removerOf(session, page)
        removers.set(page.root.id, remover)
        const isNetwork = networkDatasources.includes(page.root.datasource)
        await removePage({ ...input, store: session.store, removal, remover, page, isNetwork })
      }
      if (removal.isOver) break
      await turn()
    }
  } catch (error) {
    if (!(error instanceof TreeProblem)) throw error
    removal.fail(error.message)
  } finally {
    for (const remover of removers.values()) remover.close()
  }
  return removal.end()
}

/** A title's files are known from the last walk; a failed one is not trusted. */
function requireBelieved(session: CacheSession, { root }: WantedPage): void {
  const problem = session.unwritten.get(root.id)?.text ?? root.problem
  if (root.state !== 'failed' && !session.unwritten.has(root.id)) return
  throw new TreeProblem(`The last walk of ${root.path} failed: ${problem ?? 'unknown reason'}`)
}

/** A tree that is empty although the index has files is an unmounted disk. */
function removerOf(session: CacheSession, { root }: WantedPage): TreeRemover {
  if (session.isUnresponsive(root.id)) {
    throw new TreeProblem(`The file system of ${root.path} does not answer`)
  }
  if (listTree(root.path).dirs.length === 0) {
    throw new TreeProblem(`${root.path} is empty; is the disk mounted?`)
  }
  return new TreeRemover(root.path)
}

interface PageRun {
  store: CacheStore
  removal: Removal
  remover: TreeRemover
  page: WantedPage
  removesEmptyFolders: boolean
  isNetwork: boolean
}

async function removePage(run: PageRun): Promise<void> {
  const { removal, remover, page } = run
  let at = 0
  while (at < page.files.length && !removal.isOver) {
    remover.check()
    const startMs = performance.now()
    const from = at
    const isAtOnce = run.isNetwork || removal.isSlow
    const done: WantedFile[] = []
    const missing: WantedFile[] = []
    while (at < page.files.length && !removal.isOver && performance.now() - startMs < sliceMs) {
      const step = isAtOnce ? inFlight : 1
      const files = page.files.slice(at, at + step)
      at += files.length
      const verdicts = isAtOnce
        ? await Promise.all(files.map((file) => remover.removeLater(file)))
        : files.map((file) => remover.remove(file))
      remover.release()
      for (const [index, file] of files.entries()) {
        const verdict = verdicts[index] as FileVerdict
        if (verdict.kind === 'missing') missing.push(file)
        else if (removal.count(file, verdict)) done.push(file)
      }
    }
    removal.isSlow ||=
      performance.now() - startMs > slowFileMs * Math.max(at - from, filesPerBatchMin)
    const trouble = troubleOf(remover)
    // On a removed disk every file is missing: that is not trusted.
    if (trouble === null) {
      for (const file of missing) if (removal.count(file, { kind: 'missing' })) done.push(file)
    }
    settle(run, done)
    if (trouble !== null) throw trouble
    removal.report()
    await turn()
  }
}

function troubleOf(remover: TreeRemover): TreeProblem | null {
  try {
    remover.check()
    return null
  } catch (error) {
    if (error instanceof TreeProblem) return error
    throw error
  }
}

/** Drops deleted files from the index and updates its totals, in one transaction. */
function settle(
  { store, page, remover, removal, removesEmptyFolders }: PageRun,
  done: WantedFile[],
) {
  if (done.length === 0) return
  const dirs = new Set(done.map(({ dir }) => dir))
  store.transaction(() => {
    dropRows(store, page.root.id, done)
    if (store.root(page.root.id)?.files === 0) noteEmptied(store, page.root)
  })
  if (!removesEmptyFolders) return
  for (const dir of dirs) if (remover.removeEmpty(dir)) removal.outcome.directoriesRemoved++
}

/** Drops deleted files from the index; needs an open transaction. */
export function dropRows({ database }: CacheStore, rootId: number, done: WantedFile[]): void {
  // A file stored again since has another fingerprint: its row stays.
  const drop = database.query(
    `DELETE FROM cache_file WHERE root_id = ? AND dir = ? AND digest = unhex(?)
       AND inode = ? AND mtime_ms = ?`,
  )
  const directory = database.query(
    `UPDATE cache_directory SET files = max(0, files - 1), bytes = max(0, bytes - ?), mtime_ms = -1
       WHERE root_id = ? AND dir = ?`,
  )
  const content = database.query(
    'UPDATE cache_content SET files = max(0, files - 1), bytes = max(0, bytes - ?) WHERE id = ?',
  )
  let files = 0
  let bytes = 0
  for (const file of done) {
    const { changes } = drop.run(rootId, file.dir, file.digest, file.inode, file.mtimeMs)
    if (changes === 0) continue
    directory.run(file.bytes, rootId, file.dir)
    content.run(file.bytes, file.contentId)
    files++
    bytes += file.bytes
  }
  database
    .query(
      'UPDATE cache_root SET files = max(0, files - ?), bytes = max(0, bytes - ?) WHERE id = ?',
    )
    .run(files, bytes, rootId)
}
