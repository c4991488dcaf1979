import { SQLiteError } from 'bun:sqlite'
import { MovingRate } from '../../../core/lib/moving-rate.ts'
import type { Phrase } from '../../../core/lib/phrases.ts'
import type { WalkDepth, WalkOutcome, WalkProgress } from '../contract.ts'
import { emptiedMeta, noteEmptied } from './emptied-folder.ts'
import { assignHostTitles } from './host-titles.ts'
import { problemMeta, treeProblem, withMore, type ReportedProblem } from './problems.ts'
import { turn, type CacheSession } from './session.ts'
import type { RootRow } from './rows.ts'
import { refreshTotals, saveTotals } from './totals.ts'
import { canonicalPath, hashDirs, listTree, TreeProblem, type Tree } from './tree.ts'
import { newState, type WalkState } from './walk-state.ts'
import { TreeWalk } from './walk.ts'

/** A tree with less than this share of its last complete walk's files is not trusted. */
const collapseShare = 0.1
/** An interrupted thorough walk is resumed within this time. */
const resumeMs = 24 * 3_600_000
const dropBatch = 500
const depths: readonly WalkDepth[] = ['directories', 'fingerprints', 'headers']

export interface WalkOptions {
  depth: WalkDepth
  /** Trusts a tree that is empty or lost nearly all of its files. */
  accept: boolean
}

interface WalkRun extends WalkOptions {
  isCancelled(): boolean
  /** The clock from which file ages are computed; the system's by default. */
  nowMs?: () => number
  /** Called after every slice of work. */
  onSlice(state: WalkState, tree: Tree): void
}

/** An interrupted thorough walk of a tree; in `meta` under `walk:<root>`. */
interface Interrupted {
  depth: WalkDepth
  startedAt: number
}

const covers = (one: WalkDepth, other: WalkDepth): boolean =>
  depths.indexOf(one) >= depths.indexOf(other)

/** Walks one tree and updates the index. Never rejects for disk errors. */
export async function walkRoot(
  session: CacheSession,
  root: RootRow,
  run: WalkRun,
): Promise<WalkOutcome> {
  const startedMs = performance.now()
  const { store } = session
  let state = newState()
  const end = (result: Pick<WalkOutcome, 'state' | 'problem'>): WalkOutcome => {
    const durationMs = Math.round(performance.now() - startedMs)
    return { ...outcomeOf(store.root(root.id) ?? root, state), ...result, durationMs }
  }
  if (run.isCancelled()) return end({ state: 'cancelled', problem: null })
  try {
    if (session.isUnresponsive(root.id)) {
      throw new TreeProblem(treeProblem('unresponsive', { path: root.path }))
    }
    const tree = listTree(canonicalPath(root.path))
    if (tree.dirs.length === 0 && root.files > 0 && !run.accept) {
      throw new TreeProblem(treeProblem('empty', { path: root.path }))
    }
    const fromDir = begin(session, root, run)
    const nowMs = run.nowMs ?? Date.now
    const walk = new TreeWalk({ store, root, tree, depth: run.depth, fromDir, nowMs })
    state = walk.state
    const slices = session.isRemote(root.id) ? walk.runAtOnce() : walk.run()
    for await (const _slice of slices) {
      run.onSlice(state, tree)
      await turn()
      if (run.isCancelled()) return end({ state: 'cancelled', problem: null })
    }
    if (state.failedDirectories > 0) {
      const more = state.failedDirectories - 1
      throw new TreeProblem(state.problem === null ? '' : withMore(state.problem, more))
    }
    const sums = store.directorySums(root.id)
    if (sums.files < root.files * collapseShare && !run.accept) {
      throw new TreeProblem(treeProblem('collapsed', { left: sums.files, before: root.files }))
    }
    await finish(session, root, { tree, state, totals: walk.totals, startedMs, run })
    session.unwritten.delete(root.id)
    return end({ state: 'complete', problem: ioProblem(state)?.text ?? null })
  } catch (error) {
    const problem = problemOf(error)
    if (problem === null) throw error
    refuse(session, root, problem)
    return end({ state: 'failed', problem: problem.text })
  }
}

/** Files whose headers could not be read; null if there are none. */
function ioProblem({ ioErrors, ioError }: WalkState): Phrase | null {
  if (ioError === null) return null
  return ioErrors === 1
    ? treeProblem('fileUnread', { first: ioError })
    : treeProblem('filesUnread', { count: ioErrors, first: ioError })
}

/** What to report if the disk is the cause; null for everything else. */
function problemOf(error: unknown): ReportedProblem | null {
  if (error instanceof TreeProblem) return { text: error.message, phrase: error.phrase }
  if (!(error instanceof SQLiteError)) return null
  const phrase = treeProblem('unwritten', { reason: error.message })
  return { text: phrase.text, phrase }
}

// Written by `begin` in this shape.
const interruptedOf = (store: CacheSession['store'], rootId: number): Interrupted | null =>
  store.meta(`walk:${rootId}`) as Interrupted | null

/** Records that a walk is running; returns where it starts. */
function begin({ store }: CacheSession, root: RootRow, run: WalkRun): number {
  const interrupted = interruptedOf(store, root.id)
  const isDeep = run.depth !== 'directories'
  const isResumed =
    isDeep &&
    interrupted !== null &&
    covers(interrupted.depth, run.depth) &&
    Date.now() - interrupted.startedAt < resumeMs
  store.transaction(() => {
    // Marks of an unfinished walk are not trusted; those directories are read again.
    if (!isResumed) store.clearGone(root.id)
    store.setRoot(root.id, { state: 'walking' })
    if (isDeep && !isResumed) {
      store.setRoot(root.id, { nextDir: 0 })
      store.setMeta(`walk:${root.id}`, {
        depth: run.depth,
        startedAt: Date.now(),
      } satisfies Interrupted)
    }
  })
  return isResumed ? root.nextDir : 0
}

/** The walk is trusted: deletes what is gone from the index and saves this walk's figures. */
async function finish(
  session: CacheSession,
  root: RootRow,
  walk: Pick<TreeWalk, 'state' | 'totals'> & { tree: Tree; startedMs: number; run: WalkOptions },
): Promise<void> {
  const { store } = session
  const { tree, state, startedMs } = walk
  const { depth, accept } = walk.run
  const gone = store.countGone(root.id)
  while (store.transaction(() => store.dropGone(root.id, dropBatch)) > 0) await turn()
  dropVanished({ store }, root.id, tree)
  const isUntouched = gone === 0 && state.added === 0 && state.replaced === 0
  const isChanged = !isUntouched || root.state !== 'complete'
  const titled = await assignHostTitles(session, root, { isChanged })
  const { totals } = walk
  if (totals !== null && titled === 0) saveTotals(store, root.id, totals)
  else if (isChanged || titled > 0) {
    for (const _step of refreshTotals(store, root.id)) await turn()
  }
  const { files, bytes } = store.directorySums(root.id)
  const problem = ioProblem(state)
  store.transaction(() => {
    store.setMeta(problemMeta(root.id), problem)
    if (files > 0) store.deleteMeta(emptiedMeta(root.id))
    else if (accept) noteEmptied(store, root)
    store.setRoot(root.id, {
      state: 'complete',
      problem: problem?.text ?? null,
      files,
      bytes,
      directories: tree.directories,
      hexDirectories: tree.hexDirectories,
      walkedAt: Date.now(),
      walkMs: Math.round(performance.now() - startedMs),
    })
    // An interrupted thorough walk still has the rest ahead.
    const interrupted = interruptedOf(store, root.id)
    if (interrupted !== null && !covers(depth, interrupted.depth)) return
    store.setRoot(root.id, { nextDir: 0 })
    store.deleteMeta(`walk:${root.id}`)
  })
}

function dropVanished({ store }: Pick<CacheSession, 'store'>, rootId: number, tree: Tree): void {
  const present = new Uint8Array(hashDirs)
  for (const dir of tree.dirs) present[dir] = 1
  const times = store.directoryTimes(rootId)
  store.transaction(() => {
    for (let dir = 0; dir < hashDirs; dir++) {
      if (present[dir] === 0 && times[dir] !== -2) store.dropDirectory(rootId, dir)
    }
  })
}

/** The walk is not trusted or did not finish: keeps the index and records why. */
function refuse(session: CacheSession, root: RootRow, problem: ReportedProblem): void {
  const { store } = session
  try {
    store.transaction(() => {
      store.clearGone(root.id)
      store.setRoot(root.id, { state: 'failed', problem: problem.text })
      store.setMeta(problemMeta(root.id), problem.phrase)
    })
    session.unwritten.delete(root.id)
  } catch (error) {
    if (!(error instanceof SQLiteError)) throw error
    session.unwritten.set(root.id, problem)
  }
}

function outcomeOf(root: RootRow, state: WalkState): Omit<WalkOutcome, 'state' | 'problem'> {
  return {
    datasource: root.datasource,
    files: root.files,
    bytes: root.bytes,
    directories: root.directories,
    hexDirectories: root.hexDirectories,
    added: state.added,
    removed: state.gone,
    headersRead: state.headersRead,
    bytesRead: state.bytesRead,
    sparseFiles: state.sparseFiles,
    links: state.links,
    specialFiles: state.specialFiles,
    foreignEntries: state.foreignEntries,
    temporaryFiles: state.temporaryFiles,
    ioErrors: state.ioErrors,
    durationMs: 0,
  }
}

const reportEveryMs = 250

/** Turns the state of a walk into progress reports, at most four a second. */
export class WalkReporter {
  readonly #send: (report: WalkProgress) => void
  readonly #rootCount: number
  readonly #percents = new MovingRate()
  #lastMs = performance.now()
  #lastFiles = 0

  constructor(rootCount: number, send: (report: WalkProgress) => void) {
    this.#rootCount = Math.max(1, rootCount)
    this.#send = send
  }

  /** `done`: finished trees of this walk. */
  slice(datasource: string, done: number, { state, tree }: { state: WalkState; tree: Tree }): void {
    const nowMs = performance.now()
    const passedMs = nowMs - this.#lastMs
    if (passedMs < reportEveryMs) return
    const total = Math.max(1, tree.dirs.length)
    const share = Math.min(1, state.directoriesScanned / total)
    const percent = (100 * (done + share)) / this.#rootCount
    this.#percents.update(percent)
    const filesPerSecond = Math.max(0, (1000 * (state.filesSeen - this.#lastFiles)) / passedMs)
    this.#lastMs = nowMs
    this.#lastFiles = state.filesSeen
    this.#send({
      percentComplete: percent,
      datasource,
      directoriesScanned: state.directoriesScanned,
      totalDirectories: tree.dirs.length,
      filesSeen: state.filesSeen,
      headersRead: state.headersRead,
      filesPerSecond: Math.round(filesPerSecond),
      etaSeconds: this.#percents.secondsFor(100 - percent),
      inFlight: state.inFlight,
    })
  }
}
