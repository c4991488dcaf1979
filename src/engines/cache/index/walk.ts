import { lstatSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { ContentIds } from './content-ids.ts'
import { DirectoryPass, type Finding } from './directory-pass.ts'
import { FirstWalk, unsettledMs } from './first-walk.ts'
import { dirName } from '../format/key.ts'
import { KeyReader } from './identify.ts'
import { InFlight } from './in-flight.ts'
import {
  disks,
  readDirectory,
  readLater,
  type DirectoryOutcome,
  type Disk,
} from './read-directory.ts'
import { Readers } from './readers.ts'
import type { Totals } from './totals.ts'
import { newState, type WalkParts, type WalkState } from './walk-state.ts'

/** Longest time before yielding to other jobs. */
const sliceMs = 15

/** Directories of a slow disk whose findings share one transaction. */
const batchDirs = 64
const batchMs = 250

/**
 * Number of new directories from which reader threads are used; fewer are done before one starts.
 */
const sharedFrom = 512
/** Reader threads: as many as cores, but one writer keeps up with no more than four readers. */
const readersMax = 3
const readersFor = (cores: number): number => (cores < 2 ? 0 : Math.min(readersMax, cores))
/** A file server's clock may differ from ours by a time zone. */
const skewMaxMs = 86_400_000
const noDirs = new Uint16Array(0)

/** Walks one tree and updates the index; missing files are only marked. */
export class TreeWalk {
  readonly #parts: WalkParts
  readonly #contents: ContentIds
  readonly #keys = new KeyReader()
  /** The tree is not indexed yet, so directories not yet read need no look-up. */
  readonly #isFirst: boolean
  /** mtime of each directory at its last read, before this walk. */
  readonly #times: Float64Array
  /** Directories of which an interrupted walk missed files: they may be back since. */
  readonly #marked: Set<number>
  /** Newest mtime of a network disk's directories so far: its clock had reached at least that. */
  #newestMs = 0
  readonly state: WalkState = newState()
  /** Of all files of the tree if this walk has read each of them; else null. */
  totals: Totals | null = null

  constructor(parts: WalkParts) {
    this.#parts = parts
    this.#contents = new ContentIds(parts.store, parts.root.id)
    this.#isFirst = !parts.store.hasFiles(parts.root.id)
    this.#times = parts.store.directoryTimes(parts.root.id)
    this.#marked = new Set(parts.store.markedDirectories(parts.root.id))
  }

  /**
   * Walks the tree with synchronous reads; leaves large numbers of new directories to other
   * threads.
   */
  async *run(): AsyncGenerator<void> {
    const threads = readersFor(availableParallelism())
    const dirs = threads === 0 ? noDirs : this.#newDirs()
    if (dirs.length < sharedFrom) {
      yield* this.runAlone()
      return
    }
    const readers = new Readers(threads)
    try {
      yield* this.runAlone(dirs)
      const { state } = this
      const walk = new FirstWalk(this.#parts, { contents: this.#contents, state, readers })
      yield* walk.run(dirs)
      const isWhole = this.#isFirst && dirs.length === this.#parts.tree.dirs.length
      if (isWhole) this.totals = walk.totals
    } finally {
      await readers.close()
    }
  }

  /**
   * Directories that are not in the index. None for a resumed thorough walk: its position is kept
   * as one number, so it must keep the order.
   */
  #newDirs(): Uint16Array {
    const { store, root, tree, depth } = this.#parts
    const times = this.#times
    if (depth !== 'directories' && times.some((time) => time !== -2)) return noDirs
    return tree.dirs.filter(
      (dir) => times[dir] === -2 && (this.#isFirst || !store.hasFilesIn(root.id, dir)),
    )
  }

  /**
   * The same in this thread only. Yields every few milliseconds, with everything found so far
   * committed; the caller may stop there. Throws when the index cannot be written.
   */
  *runAlone(excludedDirs: Uint16Array = noDirs): Generator<void> {
    const { store, tree } = this.#parts
    const times = this.#times
    const present = new Uint8Array(times.length)
    for (const dir of tree.dirs) present[dir] = 1
    const isExcluded = new Uint8Array(times.length)
    for (const dir of excludedDirs) isExcluded[dir] = 1
    let isOpen = false
    let sliceStartMs = 0
    const open = () => {
      if (isOpen) return
      store.database.run('BEGIN IMMEDIATE')
      isOpen = true
      sliceStartMs = performance.now()
    }
    const close = () => {
      if (!isOpen) return
      this.#contents.flush()
      store.database.run('COMMIT')
      isOpen = false
    }
    try {
      for (let dir = 0; dir < times.length; dir++) {
        const known = times[dir] as number
        if (isExcluded[dir] === 1 || this.#isDone(dir, present[dir] === 1)) continue
        open()
        if (present[dir] === 0) this.#vanished(dir)
        else if (this.#isUnchanged(dir, known)) this.state.directoriesScanned++
        else {
          for (const _pause of this.#directory(dir, known)) {
            if (performance.now() - sliceStartMs < sliceMs) continue
            this.#leave(dir, known)
            close()
            yield
            open()
          }
        }
        if (performance.now() - sliceStartMs < sliceMs) continue
        if (this.#parts.depth !== 'directories') this.#setNextDir(dir + 1)
        close()
        yield
      }
      close()
    } catch (error) {
      this.#contents.forget()
      if (store.database.inTransaction) store.database.run('ROLLBACK')
      throw error
    }
  }

  /**
   * The same for slow disks: reads several directories in parallel without blocking the thread, and
   * writes their findings together.
   */
  async *runAtOnce(): AsyncGenerator<void> {
    const { tree } = this.#parts
    const times = this.#times
    const present = new Uint8Array(times.length)
    for (const dir of tree.dirs) present[dir] = 1
    this.#newestMs = times.reduce((newest, time) => Math.max(newest, time))
    const inFlight = new InFlight(performance.now())
    /** By directory, in the order of the walk. */
    const running = new Map<number, Promise<void>>()
    let ready: (() => void)[] = []
    let writtenMs = performance.now()
    let filesBefore = 0
    const write = (nextDir: number) => {
      const batch = ready
      ready = []
      this.#commit(batch, nextDir)
      writtenMs = performance.now()
      inFlight.note(this.state.filesSeen - filesBefore, writtenMs)
      filesBefore = this.state.filesSeen
      this.state.inFlight = inFlight.limit
    }
    try {
      for (let dir = 0; dir < times.length; dir++) {
        const known = times[dir] as number
        if (this.#isDone(dir, present[dir] === 1)) continue
        if (present[dir] === 0) ready.push(() => this.#vanished(dir))
        else {
          const directory = this.#directoryLater(dir, known).then((apply) => {
            ready.push(apply)
            running.delete(dir)
          })
          running.set(dir, directory)
        }
        while (running.size >= inFlight.limit) await Promise.race(running.values())
        if (ready.length < batchDirs && performance.now() - writtenMs < batchMs) continue
        write(Math.min(dir + 1, ...running.keys()))
        yield
      }
      await Promise.all(running.values())
      write(times.length)
      yield
    } finally {
      await Promise.allSettled(running.values())
    }
  }

  /**
   * Whether a directory needs nothing: never seen and not there, or read before an interruption and
   * as it was. One that has vanished since would otherwise keep its rows, one that is back lose them.
   */
  #isDone(dir: number, isPresent: boolean): boolean {
    const isUnknown = this.#times[dir] === -2
    const isMarked = this.#marked.has(dir)
    return isPresent ? dir < this.#parts.fromDir && !isUnknown && !isMarked : isUnknown || isMarked
  }

  /** Directories before the start of a resumed walk do not move its position back. */
  #setNextDir(nextDir: number): void {
    const { store, root, fromDir } = this.#parts
    store.setNextDir(root.id, Math.max(nextDir, fromDir))
  }

  #commit(batch: (() => void)[], nextDir: number): void {
    const { store, depth } = this.#parts
    try {
      store.transaction(() => {
        for (const apply of batch) apply()
        this.#contents.flush()
        if (depth !== 'directories') this.#setNextDir(nextDir)
      })
    } catch (error) {
      this.#contents.forget()
      throw error
    }
  }

  /**
   * Reads one directory; the returned function writes its findings. Never rejects for disk errors.
   */
  async #directoryLater(dir: number, knownMs: number): Promise<() => void> {
    const findings: Finding[] = []
    const reading = this.#reading(disks.later, dir, knownMs)
    const beforeMs = this.#newestMs
    const outcome = await readLater(reading, (finding) => findings.push(finding))
    if (outcome.kind === 'read') this.#newestMs = Math.max(this.#newestMs, outcome.mtimeMs)
    return () => {
      for (const finding of findings) this.#write(dir, finding)
      this.#settle(dir, outcome, beforeMs)
    }
  }

  /**
   * Whether a directory need not be read. `readDirectory` would find that, too: this is for the walk
   * of a tree that hardly changed, which does nothing else.
   */
  #isUnchanged(dir: number, knownMs: number): boolean {
    const { tree, depth } = this.#parts
    if (depth !== 'directories' || knownMs < 0) return false
    try {
      const stats = lstatSync(`${tree.path}/${dirName(dir)}`)
      return stats.mtimeMs === knownMs && stats.isDirectory()
    } catch {
      // Reading it reports why.
      return false
    }
  }

  #vanished(dir: number): void {
    const { store, root } = this.#parts
    const { length } = store.known(root.id, dir)
    if (length === 0) store.dropDirectory(root.id, dir)
    else store.markDirectoryGone(root.id, dir)
    this.state.gone += length
  }

  /** One hash directory; yields between files, where it can be interrupted. */
  *#directory(dir: number, knownMs: number): Generator<void> {
    const reading = this.#reading(disks.waiting, dir, knownMs)
    let step = reading.next()
    for (; step.done !== true; step = reading.next()) {
      if (step.value !== null && 'kind' in step.value) this.#write(dir, step.value)
      yield
    }
    this.#settle(dir, step.value)
  }

  /** A directory was written partially: makes sure it is read again even after an abort. */
  #leave(dir: number, knownMs: number): void {
    const { store, root, depth } = this.#parts
    if (knownMs === -2) store.putDirectory(root.id, dir, { mtimeMs: -1, files: 0, bytes: 0 })
    if (depth !== 'directories') store.setNextDir(root.id, dir)
  }

  #reading(disk: Disk, dir: number, knownMs: number) {
    const { store, root, tree, depth, nowMs } = this.#parts
    const pass = () => {
      const known = this.#isFirst && knownMs === -2 ? [] : store.known(root.id, dir)
      const how = { depth, keys: this.#keys, nowMs: nowMs(), counts: this.state }
      return new DirectoryPass(known, how)
    }
    return readDirectory(disk, { treePath: tree.path, dir, knownMs, depth, pass })
  }

  #write(dir: number, finding: Finding): void {
    const { store, root } = this.#parts
    if (finding.kind === 'skipped') {
      store.setSkipped(root.id, dir, finding)
      return
    }
    const { identity, row } = finding
    if (identity !== null) row.contentId = this.#contents.idOf(identity)
    store.insertFile(root.id, dir, row)
  }

  /**
   * After a directory was read completely: what was not seen is gone, the rest is known. `newestMs`,
   * of a network disk: a directory that changed about then may change again within one tick.
   */
  #settle(dir: number, outcome: DirectoryOutcome, newestMs = Number.POSITIVE_INFINITY): void {
    const { store, root, nowMs } = this.#parts
    if (outcome.kind === 'gone') {
      this.#vanished(dir)
      return
    }
    this.state.directoriesScanned++
    if (outcome.kind === 'failed') {
      this.state.failedDirectories++
      this.state.problem ??= outcome.problem
    }
    if (outcome.kind !== 'read') return
    const { pass, mtimeMs } = outcome
    if (this.#marked.delete(dir)) store.unmarkDirectory(root.id, dir)
    for (const name of pass.gone()) store.markGone(root.id, dir, name)
    this.state.gone += pass.goneCount
    const ageMs = nowMs() - mtimeMs
    const isOld = ageMs >= unsettledMs && (mtimeMs < newestMs - unsettledMs || ageMs >= skewMaxMs)
    const isSettled = !pass.isUnsettled && isOld
    const { files, bytes } = pass
    store.putDirectory(root.id, dir, { mtimeMs: isSettled ? mtimeMs : -1, files, bytes })
  }
}
