import type { Phrase } from '../../../core/lib/phrases.ts'
import type { WalkDepth } from '../contract.ts'
import { noCounts, type LookCounts } from './directory-pass.ts'
import type { RootRow } from './rows.ts'
import type { CacheStore } from './store.ts'
import type { Tree } from './tree.ts'

/** What a pass over a tree needs; shared by the ways of reading it. */
export interface WalkParts {
  store: CacheStore
  root: RootRow
  tree: Tree
  depth: WalkDepth
  /** First hash directory to look at; those before were looked at by an interrupted walk. */
  fromDir: number
  nowMs: () => number
}

/** How far a pass is; read by whoever reports progress. */
export interface WalkState extends LookCounts {
  directoriesScanned: number
  gone: number
  /** Directories that could not be read, and what the first of them said. */
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
