import type { Database } from 'bun:sqlite'
import { openCache } from '../../../db/cache/open.ts'
import type { CacheRoot, RootState } from './contract.ts'
import { CacheStore, type RootRow } from './store.ts'
import { canonicalPath, TreeProblem } from './tree.ts'

/** Gives the thread to other jobs. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** The opened index of this thread, with the trees it is told to look at. */
export class CacheSession {
  readonly store: CacheStore
  /** Datasource to the number of its tree; several may share one. */
  readonly #rootIds = new Map<string, number>()
  #configured: CacheRoot[] = []
  /** Problems that could not be written down because the index itself cannot be written. */
  readonly unwritten = new Map<number, string>()

  constructor(database: Database) {
    this.store = new CacheStore(database)
  }

  /** Takes over the configured trees; rows of other trees are dropped. */
  async configure(roots: CacheRoot[]): Promise<void> {
    this.#configured = roots
    this.#rootIds.clear()
    const kept = new Set<number>()
    for (const root of roots) {
      const path = realOr(root.path)
      const shared = this.store.roots().find((row) => kept.has(row.id) && row.path === path)
      if (shared !== undefined) {
        this.#rootIds.set(root.datasource, shared.id)
        continue
      }
      const row = await this.#take(root, path)
      kept.add(row.id)
      this.#rootIds.set(root.datasource, row.id)
    }
    for (const { id } of this.store.roots()) if (!kept.has(id)) await this.#drop(id)
  }

  /** The tree of a datasource; null for one that is not configured. */
  rootOf(datasource: string): RootRow | null {
    const id = this.#rootIds.get(datasource)
    return id === undefined ? null : this.store.root(id)
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
      return [
        {
          ...rest,
          ...(unwritten === undefined ? {} : { state: 'failed' as const, problem: unwritten }),
          datasource,
          sharedWith: row.datasource === datasource ? null : row.datasource,
          walkedAt: walkedAt === null ? null : new Date(walkedAt).toISOString(),
        },
      ]
    })
  }

  async #take(root: CacheRoot, path: string): Promise<RootRow> {
    const rows = this.store.roots()
    const known = rows.find((row) => row.datasource === root.datasource)
    // A mount that is away cannot be resolved: its rows stay what they are.
    const isSame = known !== undefined && (known.path === path || !isResolvable(root.path))
    if (known !== undefined && isSame) {
      const { scheme, sliceBytes } = root
      if (known.scheme !== scheme || known.sliceBytes !== sliceBytes) {
        this.store.setRoot(known.id, { scheme, sliceBytes })
      }
      return { ...known, scheme, sliceBytes }
    }
    if (known !== undefined) await this.#drop(known.id)
    this.store.addRoot({ ...root, path })
    const added = this.store.roots().find((row) => row.datasource === root.datasource)
    if (added === undefined) throw new Error('a cache tree was not added')
    return added
  }

  async #drop(id: number): Promise<void> {
    for (const _step of this.store.dropRoot(id)) await turn()
  }
}

function isResolvable(path: string): boolean {
  try {
    canonicalPath(path)
    return true
  } catch (error) {
    if (error instanceof TreeProblem) return false
    throw error
  }
}

function realOr(path: string): string {
  try {
    return canonicalPath(path)
  } catch (error) {
    if (error instanceof TreeProblem) return path
    throw error
  }
}

let current: CacheSession | null = null
let database: Database | null = null

/** Opens `cache.sqlite` for this thread, its only writer. */
export function openSession(dataPath: string): CacheSession {
  if (current !== null) return current
  database = openCache(dataPath)
  // Walks write much in a row: fewer, larger checkpoints. 16 MiB of pages are kept in memory.
  database.run('PRAGMA wal_autocheckpoint = 8000')
  database.run('PRAGMA cache_size = -16384')
  current = new CacheSession(database)
  return current
}

/** For the jobs of this thread. Throws before `openSession`. */
export function cacheSession(): CacheSession {
  if (current === null) throw new Error('the cache engine was not started')
  return current
}

export function closeSession(): void {
  current = null
  database?.close()
  database = null
}
