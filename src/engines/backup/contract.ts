import type { Watch } from '../engine.ts'
import { join } from 'node:path'
import { Type, type Static } from '@sinclair/typebox'
import type { HistoryTarget } from '../../../db/history/connect.ts'

/** Version of the form of snapshots; higher ones are refused. */
export const snapshotFormat = 1

/** The SQLite files of a data folder. */
export const sqliteNames = ['state.sqlite', 'hot.sqlite', 'cache.sqlite', 'catalog.sqlite'] as const
export type SqliteName = (typeof sqliteNames)[number]

/** A snapshot that is complete and checked: the next start puts it in place. */
export const stagedFolder = (dataPath: string): string => join(dataPath, 'restore')

/** Folders of the data folder that a snapshot holds beside the databases. */
export const folderNames = ['security', 'themes'] as const

/**
 * Whether Larder can have written a file of this name in one of the folders. Copies of editors and
 * the files of desktops and network file systems (`key.txt~`, `.DS_Store`, `.nfs…`) are not ours.
 */
export const isOwnName = (name: string): boolean => /^[\w-][\w.-]{0,150}$/.test(name)

/** A table of the history, in the order in which tables are filled. */
export const SnapshotTable = Type.Object({
  name: Type.String(),
  columns: Type.Array(Type.String(), { minItems: 1 }),
})
export type SnapshotTable = Static<typeof SnapshotTable>

/** First entry of a snapshot. */
export const Manifest = Type.Object({
  format: Type.Integer(),
  /** Version of the service. */
  version: Type.String(),
  createdAt: Type.String(),
  sqlite: Type.Array(Type.Union(sqliteNames.map((name) => Type.Literal(name)))),
  history: Type.Object({
    /** Time stamps of its migrations, oldest first. */
    migrations: Type.Array(Type.Integer(), { minItems: 1 }),
    tables: Type.Array(SnapshotTable),
    /** Months (Unix seconds of their start) that the traffic has partitions for. */
    months: Type.Array(Type.Number()),
  }),
})
export type Manifest = Static<typeof Manifest>

/** Last entry of a snapshot: every other one, in order. */
export const Contents = Type.Object({
  parts: Type.Array(
    Type.Object({ name: Type.String(), bytes: Type.Integer(), sha256: Type.String() }),
  ),
})
export type Contents = Static<typeof Contents>

export interface MakeRequest {
  dataPath: string
  /** Where the SQLite files are, if not in the data folder. */
  sqlitePath?: string
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
  /** Folder of the history's migrations; those of this program by default. */
  migrations?: string
}

export interface StageProgress {
  /** Packed bytes. */
  bytes: number
  totalBytes: number
}

/** Writes and reads snapshots in a thread of its own. */
export interface BackupEngine {
  /** Rejects with EngineFailure, whose message says why; leaves no file then. */
  make(request: MakeRequest, run: Watch<MakeProgress>): Promise<Made>
  /** Reads a whole snapshot and changes nothing. Rejects like `make` unless it is complete. */
  check(file: string, run: Watch<StageProgress>): Promise<void>
  /** Unpacks and checks a snapshot; the next start puts it in place. Rejects like `make`. */
  stage(request: StageRequest, run: Watch<StageProgress>): Promise<Manifest>
  kill(): void
  stop(): void
}
