import type { Database } from 'bun:sqlite'
import { dirname } from 'node:path'
import { openSoundCache } from '../../../../db/cache/open.ts'
import type { Phrase } from '../../../core/lib/phrases.ts'
import type { CacheRoot, RootState } from '../contract.ts'
import { isConclusive } from './emptied-folder.ts'
import { problemMeta, type ReportedProblem } from './problems.ts'
import type { RootRow } from './rows.ts'
import { CacheStore } from './store.ts'
import { canonicalPath, TreeProblem, treePath } from './tree.ts'

/** Yields the thread to other jobs. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** The opened index of this thread, with the configured trees. */
export class CacheSession {
  readonly store: CacheStore
  /** Datasource to the id of its tree; several may share one. */
  readonly #rootIds = new Map<string, number>()
  readonly #unresponsive = new Set<number>()
  readonly #remote = new Set<number>()
  #configured: CacheRoot[] = []
  /** Problems that could not be saved because the index itself cannot be written. */
  readonly unwritten = new Map<number, ReportedProblem>()

  /** Where the service's other files are. */
  readonly dataPath: string

  constructor(database: Database, dataPath: string) {
    this.dataPath = dataPath
    this.store = new CacheStore(database)
  }

  /** Applies the configured trees; drops the rows of all others. */
  async configure(roots: CacheRoot[]): Promise<void> {
    this.#configured = roots
    this.#rootIds.clear()
    this.#unresponsive.clear()
    this.#remote.clear()
    const kept = new Set<number>()
    for (const root of roots) {
      const canonical = resolved(root)
      const place = canonical === null ? root.path : treePath(canonical)
      const shared = this.store.roots().find((row) => kept.has(row.id) && row.path === place)
      if (shared !== undefined) {
        this.#rootIds.set(root.datasource, shared.id)
        continue
      }
      const row = await this.#take(root, { canonical, place })
      kept.add(row.id)
      this.#rootIds.set(root.datasource, row.id)
      if (root.isUnresponsive === true) this.#unresponsive.add(row.id)
      if (root.isRemote === true) this.#remote.add(row.id)
    }
    for (const { id } of this.store.roots()) if (!kept.has(id)) await this.#drop(id)
  }

  /** The tree of a datasource; null if it is not configured. */
  rootOf(datasource: string): RootRow | null {
    const id = this.#rootIds.get(datasource)
    return id === undefined ? null : this.store.root(id)
  }

  /** A walk changes pages all over the index; nothing else needs more than the usual 2 MB of them. */
  cachePages(isWalk: boolean): void {
    this.store.database.run(`PRAGMA cache_size = ${isWalk ? -16_384 : -2000}`)
    if (!isWalk) this.store.database.run('PRAGMA shrink_memory')
  }

  /** Whether the file system of a tree recently stopped answering. */
  isUnresponsive(rootId: number): boolean {
    return this.#unresponsive.has(rootId)
  }

  /** Whether a tree is on a network file system. */
  isRemote(rootId: number): boolean {
    return this.#remote.has(rootId)
  }

  /** Trees to walk, each once: all of them, or that of one datasource. */
  rootsOf(datasource: string | null): RootRow[] {
    if (datasource === null) return this.store.roots()
    const root = this.rootOf(datasource)
    return root === null ? [] : [root]
  }

  /** One entry per datasource, in the order of the configuration. */
  states(): RootState[] {
    const rows = new Map(this.store.roots().map((row) => [row.id, row]))
    return this.#configured.flatMap(({ datasource }) => {
      const row = rows.get(this.#rootIds.get(datasource) ?? -1)
      if (row === undefined) return []
      const { id, nextDir: _next, walkedAt, ...rest } = row
      const unwritten = this.unwritten.get(id)
      const problem = unwritten?.text ?? row.problem
      const phrase = unwritten?.phrase ?? this.#phraseOf(id)
      // A phrase that belongs to another problem than the reported one would be wrong.
      const isOfIt = phrase !== null && phrase.text === problem
      return [
        {
          ...rest,
          ...(unwritten === undefined ? {} : { state: 'failed' as const }),
          problem,
          problemKey: isOfIt ? phrase.key : null,
          problemContext: isOfIt ? phrase.values : null,
          datasource,
          sharedWith: row.datasource === datasource ? null : row.datasource,
          isConclusive: unwritten === undefined && isConclusive(this, row),
          walkedAt: walkedAt === null ? null : new Date(walkedAt).toISOString(),
        },
      ]
    })
  }

  /** As written by a walk. */
  #phraseOf(rootId: number): Phrase | null {
    return this.store.meta(problemMeta(rootId)) as Phrase | null
  }

  async #take(root: CacheRoot, path: Place): Promise<RootRow> {
    const rows = this.store.roots()
    const known = rows.find((row) => row.datasource === root.datasource)
    if (known !== undefined && isSameTree(known, path)) {
      const { scheme, sliceBytes } = root
      if (known.scheme !== scheme || known.sliceBytes !== sliceBytes) {
        this.store.setRoot(known.id, { scheme, sliceBytes })
      }
      return { ...known, scheme, sliceBytes }
    }
    if (known !== undefined) await this.#drop(known.id)
    this.store.addRoot({ ...root, path: path.place })
    const added = this.store.roots().find((row) => row.datasource === root.datasource)
    if (added === undefined) throw new Error('a cache tree was not added')
    return added
  }

  async #drop(id: number): Promise<void> {
    for (const _step of this.store.dropRoot(id)) await turn()
  }
}

interface Place {
  /** Null for a missing folder. */
  canonical: string | null
  /** Where its hash directories are, as far as they are visible. */
  place: string
}

/** Without its mount, a tree's path is missing or empty: keeps its rows. */
function isSameTree(known: RootRow, { canonical, place }: Place): boolean {
  if (canonical === null || known.path === place) return true
  return known.files > 0 && (known.path === canonical || dirname(known.path) === canonical)
}

/** Null for a missing folder. */
function resolved({ path, isUnresponsive }: CacheRoot): string | null {
  if (isUnresponsive === true) return null
  try {
    return canonicalPath(path)
  } catch (error) {
    if (error instanceof TreeProblem) return null
    throw error
  }
}

let current: CacheSession | null = null
let database: Database | null = null

let damagedCopy: string | null = null

/** Where an index too damaged for use was moved; null: it was intact. */
export const damagedIndex = (): string | null => damagedCopy

/** Opens `cache.sqlite` for this thread, its only writer. */
export function openSession(dataPath: string): CacheSession {
  if (current !== null) return current
  const opened = openSoundCache(dataPath)
  database = opened.database
  damagedCopy = opened.damagedCopy
  // Walks write a request at once: fewer, larger checkpoints.
  database.run('PRAGMA wal_autocheckpoint = 32000')
  current = new CacheSession(database, dataPath)
  return current
}

/** The session for this thread's jobs. Throws before `openSession`. */
export function cacheSession(): CacheSession {
  if (current === null) throw new Error('the cache engine was not started')
  return current
}

export function closeSession(): void {
  current = null
  database?.close()
  database = null
}
