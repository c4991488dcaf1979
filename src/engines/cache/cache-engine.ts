import type {
  CacheContent,
  ClearOptions,
  ClearOutcome,
  ClearProgress,
  DeletionRate,
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
  /** Broken pieces and the scans that find them. */
  readonly corruption: Corruption
  /** Single objects and their pieces. */
  readonly doctor: Doctor
  start(): Promise<void>
  stop(): Promise<void>
  /** Where a damaged index was put by this run, which then made it again; null: it was sound. */
  damagedCopy(): string | null
  /**
   * Brings the index up to date; null: all trees. One walk at a time: a second call joins a walk
   * of the same or greater depth. Resumes what was interrupted. Never rejects for trouble on disk;
   * rejects with EngineFailure when the engine died. `accept`: believes a tree that is empty or
   * lost nearly all of its files; only for people who said so.
   */
  walk(
    options: { datasource: string | null; depth: WalkDepth; accept?: boolean },
    run: { signal: AbortSignal; progress(report: WalkProgress): void },
  ): Promise<WalkOutcome[]>
  /** From the index, without touching the disk. */
  roots(): Promise<RootState[]>
  contents(): Promise<CacheContent[]>
  /**
   * Whether any piece of each object is in the index (its slice, or in one piece); null where the
   * tree is empty, failed or unknown, so that nothing may be concluded. At most 10 000 names.
   */
  present(names: ObjectName[]): Promise<(boolean | null)[]>
  /** Paths of files of a content, for people; at most `limit`. */
  paths(contentIds: number[], limit: number): Promise<string[]>
  /** Paths of the files behind the sample addresses of contents, by the contents' ids. */
  samplePaths(contents: CacheContent[]): Promise<Record<number, string[]>>
  remove(
    selection: RemovalSelection,
    run: { signal: AbortSignal; progress(report: RemovalProgress): void },
    options?: RemovalOptions,
  ): Promise<RemovalOutcome>
  /**
   * Removes the proxy's files below the hash directories of one tree and nothing else; fails where
   * there are only other files. Never rejects for trouble on disk.
   * The structural baseline of the tree and the last size scan are forgotten.
   */
  clear(
    options: ClearOptions,
    run: { signal: AbortSignal; progress(report: ClearProgress): void },
  ): Promise<ClearOutcome>
  /** Terminates the worker even in an endless loop and starts it again; nothing is lost. */
  forceKill(): Promise<void>
  /** Called after a walk or removal changed the index. */
  onChange(listener: () => void): void
  /** The last finished size scan; null before the first and after the cache was cleared. */
  lastSizeScan(): Promise<SizeScan | null>
  /** Adds up all trees as they are in the index and keeps the result as the last size scan. */
  saveSizeScan(facts: Pick<SizeScan, 'scanDurationMs' | 'usage'>): Promise<SizeScan>
  /** Measures how fast small files are deleted, once, in the data directory; later from memory. */
  deletionRate(): Promise<DeletionRate>
}
