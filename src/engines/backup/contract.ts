import type { HistoryTarget } from '../../../db/history/connect.ts'

/** Version of the form of snapshots; higher ones are refused. */
export const snapshotFormat = 1

/** The SQLite files of a data folder. */
export const sqliteNames = ['state.sqlite', 'hot.sqlite', 'cache.sqlite', 'catalog.sqlite'] as const
export type SqliteName = (typeof sqliteNames)[number]

/** Folders of the data folder that a snapshot holds beside the databases. */
export const folderNames = ['security', 'themes'] as const

/**
 * Whether Larder can have written a file of this name in one of the folders. Copies of editors and
 * the files of desktops and network file systems (`key.txt~`, `.DS_Store`, `.nfs…`) are not ours.
 */
export const isOwnName = (name: string): boolean => /^[\w-][\w.-]{0,150}$/.test(name)

/** A table of the history, in the order in which tables are filled. */
export interface SnapshotTable {
  name: string
  columns: string[]
}

/** First entry of a snapshot. */
export interface Manifest {
  format: number
  /** Version of the service. */
  version: string
  createdAt: string
  sqlite: SqliteName[]
  history: {
    /** Time stamps of its migrations, oldest first. */
    migrations: number[]
    tables: SnapshotTable[]
    /** Months (Unix seconds of their start) that the traffic has partitions for. */
    months: number[]
  }
}

export interface MakeRequest {
  dataPath: string
  /** The finished file; a file with the ending `.part` beside it is renamed to it. */
  file: string
  version: string
  history: HistoryTarget
}

export interface MakeProgress {
  /** `pinned`: positions and history are copied as of one moment, batches may be sent again. */
  phase: 'copying' | 'pinned' | 'packing'
  /** Unpacked bytes. */
  bytes: number
  /** An estimate. */
  totalBytes: number
}

export interface Made {
  bytes: number
  /** Files of the folders that are not Larder's, as `themes/<name>`; the first few. */
  leftOut: string[]
}

export interface StageRequest {
  file: string
  dataPath: string
}

export interface StageProgress {
  /** Packed bytes. */
  bytes: number
  totalBytes: number
}

interface Run<Progress> {
  signal: AbortSignal
  progress(report: Progress): void
}

/** Writes and reads snapshots in a thread of its own. */
export interface BackupEngine {
  /** Rejects with EngineFailure, whose message says why; leaves no file then. */
  make(request: MakeRequest, run: Run<MakeProgress>): Promise<Made>
  /** Unpacks and checks a snapshot; the next start puts it in place. Rejects like `make`. */
  stage(request: StageRequest, run: Run<StageProgress>): Promise<Manifest>
  kill(): void
  stop(): void
}
