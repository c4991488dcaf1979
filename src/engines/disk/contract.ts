/** What a file system answers. Everything here crosses a thread as plain data. */

export type FilesystemKind = 'local' | 'nfs' | 'cifs' | 'other'

/** Why a folder cannot be asked; `none` when it can. */
export type FolderProblem = 'none' | 'missing' | 'unreadable'

/** The mount that holds a folder. */
export interface Space {
  problem: FolderProblem
  /** Longest mount point that the folder lies below; empty when there is no list of mounts. */
  mountPoint: string
  /** What is mounted there, for example `/dev/sda1` or `nas:/cache`. */
  device: string
  filesystem: FilesystemKind
  capacityBytes: number
  /** Free to everybody; what is kept for the system's administrator counts as used. */
  freeBytes: number
  isEmpty: boolean
}

/** The cache's side of a datasource. */
export interface CacheSide {
  problem: FolderProblem
  canWrite: boolean
  /** The proxy's note about itself, at the cache or one level higher; null without one. */
  configHash: string | null
}

export interface LogSide {
  problem: FolderProblem
  canWrite: boolean
  layout: 'monolithic' | 'bare_metal' | 'mixed'
  /** Whether there are logs for all services in one, and logs per service. */
  hasShared: boolean
  hasPerService: boolean
  sourceCount: number
}

/** What the keys of some cache files say. */
export interface KeySample {
  filesRead: number
  directoriesRead: number
  /** Files by the slice size their key names, bytes. */
  slices: [bytes: number, files: number][]
  /** Keys without a range, those of the no-slice fallback not counted. */
  wholeFiles: number
  /** Files whose key is that of their name: what makes a folder a cache. */
  pieces: number
}
