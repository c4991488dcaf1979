import type { Phrase } from '../../../core/lib/phrases.ts'
import type { WalkDepth } from '../contract.ts'
import { noCounts, type WalkCounts } from './directory-pass.ts'
import type { RootRow } from './rows.ts'
import type { CacheStore } from './store.ts'
import type { Tree } from './tree.ts'

/** What a pass over a tree needs, regardless of how it is read. */
export interface WalkParts {
  store: CacheStore
  root: RootRow
  tree: Tree
  depth: WalkDepth
  /** First hash directory to read; an interrupted walk has done those before. */
  fromDir: number
  nowMs: () => number
}

/** Position and counts of a pass, for progress reports. */
export interface WalkState extends WalkCounts {
  directoriesScanned: number
  gone: number
  /** Directories that could not be read, and the problem of the first one. */
  failedDirectories: number
  problem: Phrase | null
  inFlight: number
}

export const newState = (): WalkState => ({
  ...noCounts(),
  directoriesScanned: 0,
  gone: 0,
  failedDirectories: 0,
  problem: null,
  inFlight: 1,
})
