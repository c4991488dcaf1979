import type { Watch } from '../engine.ts'
import type {
  CacheContent,
  ClearOptions,
  ClearOutcome,
  ClearProgress,
  ObjectName,
  RemovalOptions,
  RemovalOutcome,
  RemovalProgress,
  RemovalSelection,
  RootState,
  SizeScan,
  WalkDepth,
  WalkOutcome,
  WalkProgress,
} from './contract.ts'
import type { Corruption } from './corruption/corruption-contract.ts'
import type { Doctor } from './doctor/doctor-contract.ts'

/** The main thread's view of the cache engine (implemented in `facade.ts`). */
export interface CacheEngine {
  /** Corrupted files and the scans that find them. */
  readonly corruption: Corruption
  /** Single objects and their cache files. */
  readonly doctor: Doctor
  /** Does not wait for the index to open; the methods below do. */
  start(): void
  stop(): Promise<void>
  /** Where this run moved a damaged index before rebuilding it; null: the index was intact. */
  damagedCopy(): string | null
  /**
   * Brings the index up to date; null: all trees. One walk at a time: a second call joins a walk of
   * the same or greater depth. Resumes an interrupted walk. Disk errors do not reject; a dead
   * engine rejects with EngineFailure. `accept` believes a tree that is empty or lost nearly all of
   * its files; set only on a user's explicit confirmation.
   */
  walk(
    options: { datasource: string | null; depth: WalkDepth; accept?: boolean },
    run: Watch<WalkProgress>,
  ): Promise<WalkOutcome[]>
  /** Reads the index only, not the disk. */
  roots(): Promise<RootState[]>
  contents(): Promise<CacheContent[]>
  /**
   * Whether the index holds any cache file of each object (its slice, or the whole object); null
   * where the tree is empty, failed or unknown, so that nothing can be concluded. At most 10 000
   * names.
   */
  present(names: ObjectName[]): Promise<(boolean | null)[]>
  /** File paths of contents, for display; at most `limit`. */
  paths(contentIds: number[], limit: number): Promise<string[]>
  /** Paths of the cache files of contents' sample URLs, by content id. */
  samplePaths(contents: CacheContent[]): Promise<Record<number, string[]>>
  remove(
    selection: RemovalSelection,
    run: Watch<RemovalProgress>,
    options?: RemovalOptions,
  ): Promise<RemovalOutcome>
  /**
   * Removes the proxy's files below the hash directories of one tree and nothing else; fails where
   * there are only other files. Disk errors do not reject. Discards the tree's structural baseline
   * and the last size scan.
   */
  clear(options: ClearOptions, run: Watch<ClearProgress>): Promise<ClearOutcome>
  /** Terminates the worker, even in an endless loop, and restarts it; no data is lost. */
  forceKill(): Promise<void>
  /** Calls `listener` after a walk or removal changed the index. */
  onChange(listener: () => void): void
  /** The last finished size scan; null before the first and after the cache was cleared. */
  lastSizeScan(): Promise<SizeScan | null>
  /** Sums up all trees from the index and keeps the result as the last size scan. */
  saveSizeScan(facts: Pick<SizeScan, 'scanDurationMs' | 'usage'>): Promise<SizeScan>
  /**
   * Time to delete that many files with each method: as fast as its last clearing, else as measured
   * once in the data directory.
   */
  deletionSeconds(
    counts: Pick<SizeScan, 'totalFiles' | 'hexDirectories'>,
  ): Promise<SizeScan['deletionSeconds']>
}
