import { endsWithin } from '../../../core/lib/within.ts'
import type { ContentIds } from './content-ids.ts'
import type { IndexBatch } from './index-batch.ts'
import { NewDirectories, type ReadRequest } from './new-directories.ts'
import { ReaderGone, requestsEach, type Readers } from './readers.ts'
import { turn } from './session.ts'
import { addTo, type Totals } from './totals.ts'
import type { WalkParts, WalkState } from './walk-state.ts'

/** A request names as many directories as take about this long to read, in milliseconds. */
const requestMs = { low: 25, high: 100 }
const dirsPerRequest = { first: 16, most: 512 }
/** While the disk does not answer, the caller is asked this often whether to continue. */
const patienceMs = 250
/** A directory that changed this shortly before the read may change again within one tick. */
export const unsettledMs = 2000

interface PendingBatch {
  dirs: number[]
  /** Null: the thread that was reading it has died. */
  batch: Promise<IndexBatch | null>
}

/**
 * Indexes directories that the index does not know. Other threads read; this one writes, in the
 * order of the directories, one transaction per request.
 */
export class FirstWalk {
  readonly #parts: WalkParts
  readonly #contents: ContentIds
  readonly #state: WalkState
  readonly #readers: Readers
  #dirsPerRequest = dirsPerRequest.first
  /** Of the files found so far. */
  readonly totals: Totals = new Map()

  constructor(parts: WalkParts, how: { contents: ContentIds; state: WalkState; readers: Readers }) {
    this.#parts = parts
    this.#contents = how.contents
    this.#state = how.state
    this.#readers = how.readers
  }

  /**
   * Yields after each request, with everything found so far committed, and while waiting; the caller
   * may stop there. Throws when the index cannot be written.
   */
  async *run(dirs: Uint16Array): AsyncGenerator<void> {
    const requests: PendingBatch[] = []
    let next = 0
    while (next < dirs.length || requests.length > 0) {
      const limit = Math.max(1, this.#readers.count * requestsEach)
      this.#state.inFlight = Math.max(1, this.#readers.count)
      while (next < dirs.length && requests.length < limit) {
        const request = Array.from(dirs.subarray(next, next + this.#dirsPerRequest))
        next += request.length
        requests.push({ dirs: request, batch: this.#ask(request) })
      }
      const request = requests.shift()
      if (request === undefined) break
      while (!(await isSettled(request.batch))) yield
      const batch = await request.batch
      if (batch === null) yield* this.#readHere(request.dirs)
      else {
        this.#resize(batch.tookMs)
        this.#commit(batch)
        yield
      }
    }
  }

  #request(dirs: number[]): ReadRequest {
    const { tree, depth, nowMs } = this.#parts
    return { treePath: tree.path, dirs, depth, nowMs: nowMs() }
  }

  async #ask(dirs: number[]): Promise<IndexBatch | null> {
    try {
      return await this.#readers.read(this.#request(dirs))
    } catch (error) {
      if (error instanceof ReaderGone) return null
      throw error
    }
  }

  /** Reads the directories of a thread that died. */
  async *#readHere(dirs: number[]): AsyncGenerator<void> {
    const directories = new NewDirectories()
    for (const dir of dirs) {
      this.#commit(directories.read(this.#request([dir])))
      await turn()
      yield
    }
  }

  #resize(tookMs: number): void {
    if (tookMs < requestMs.low)
      this.#dirsPerRequest = Math.min(dirsPerRequest.most, this.#dirsPerRequest * 2)
    if (tookMs > requestMs.high)
      this.#dirsPerRequest = Math.max(1, Math.floor(this.#dirsPerRequest / 2))
  }

  #commit(batch: IndexBatch): void {
    const { store } = this.#parts
    try {
      store.transaction(() => this.#write(batch))
    } catch (error) {
      this.#contents.forget()
      throw error
    }
    this.#count(batch)
  }

  #write({ directories, files, digests, contents }: IndexBatch): void {
    const { store, root, depth, nowMs } = this.#parts
    const ids = contents.map((content) => this.#contents.idWithSamples(content))
    for (const [place, { total }] of contents.entries()) {
      addTo(this.totals, ids[place] as number, total)
    }
    let row = 0
    for (const found of directories) {
      const { dir, outcome, mtimeMs } = found
      if (outcome !== 'read') continue
      const end = row + found.rows
      for (; row < end; row++) store.insertFound(root.id, dir, { files, digests, row, ids })
      const isFresh = nowMs() - mtimeMs < unsettledMs
      const isSettled = !found.isUnsettled && !isFresh
      store.putDirectory(root.id, dir, { ...found, mtimeMs: isSettled ? mtimeMs : -1 })
    }
    this.#contents.flush()
    const last = directories.at(-1)
    if (depth !== 'directories' && last !== undefined) store.setNextDir(root.id, last.dir + 1)
  }

  #count({ counts, directories, problem }: IndexBatch): void {
    const state = this.#state
    const { ioError, ...numbers } = counts
    // Both have the same names, all with numbers.
    for (const name of Object.keys(numbers) as (keyof typeof numbers)[]) {
      state[name] += numbers[name]
    }
    state.ioError ??= ioError
    for (const { outcome } of directories) {
      if (outcome === 'failed') state.failedDirectories++
      if (outcome !== 'gone') state.directoriesScanned++
    }
    state.problem ??= problem
  }
}

/** False when it takes longer than the caller should wait without a yield. */
const isSettled = (batch: Promise<unknown>): Promise<boolean> => endsWithin(batch, patienceMs)
