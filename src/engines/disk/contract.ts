import type { SourceProblem } from '../logs/wire.ts'

/** File system properties. Everything here crosses a thread as plain data. */

export type FilesystemKind = 'local' | 'nfs' | 'cifs' | 'other'

/** Why a folder cannot be accessed; `none` when it can. */
export type FolderProblem = 'none' | 'missing' | 'unreadable'

/** The mount that holds a folder. */
export interface Space {
  problem: FolderProblem
  /** Longest mount point above the folder; empty without a list of mounts. */
  mountPoint: string
  /** The mounted device, for example `/dev/sda1` or `nas:/cache`. */
  device: string
  filesystem: FilesystemKind
  capacityBytes: number
  /** Available to ordinary users; blocks reserved for root count as used. */
  freeBytes: number
  isEmpty: boolean
}

/** The cache's side of a datasource. */
export interface CacheFolderFacts {
  problem: FolderProblem
  canWrite: boolean
  /** The proxy's marker file, in the cache or its parent; null without one. */
  configHash: string | null
}

export interface LogFolderFacts {
  problem: FolderProblem
  canWrite: boolean
  layout: 'monolithic' | 'bare_metal' | 'mixed'
  /** Whether there are logs shared by all services, and logs per service. */
  hasShared: boolean
  hasPerService: boolean
  sourceCount: number
}

/** What the keys of sampled cache files state. */
export interface KeySample {
  filesRead: number
  directoriesRead: number
  /** Files by the slice size in their key, in bytes. */
  slices: [bytes: number, files: number][]
  /** Keys without a range, except those of the no-slice fallback. */
  wholeFiles: number
  /** Files whose name matches their key: evidence of a cache. */
  cacheFiles: number
}

export type LogFormat = 'cachelog' | 'json' | 'detailed'

/** The logs in a folder, and how the last lines of the newest one read. */
export interface LogSample {
  problem: SourceProblem
  message: string | null
  /** Some names in a folder without an access log. */
  entries: string[]
  /** Log files of all series. */
  files: number
  /** Path of the newest one that is not compressed. */
  file: string | null
  /** Null: no line was understood. */
  format: LogFormat | null
  /** At most the last 200 complete lines. */
  lines: number
  understood: number
  /** The first line that was not understood, shortened. */
  strange: string | null
}

/** What this process may do in a cache folder, as far as a small sample shows. */
export interface FolderAccess {
  problem: FolderProblem
  /** `readOnly`: by its mount; `refused`: by its permissions. */
  write: 'granted' | 'readOnly' | 'refused'
  /** A folder or cache file below that may not be read. */
  refused: string | null
}
