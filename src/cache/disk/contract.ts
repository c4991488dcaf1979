import type { FilesystemKind, FolderProblem } from '../../engines/disk/contract.ts'

/**
 * `vanished`: the folder is there, but what was mounted above it is not; its figures would be
 * those of another disk. `unresponsive`: the file system does not answer.
 */
export type DiskState = 'ok' | 'vanished' | 'unresponsive' | Exclude<FolderProblem, 'none'>

/** The disk that holds a cache. All figures are 0 unless the state is `ok`. Bytes. */
export interface DiskSpace {
  state: DiskState
  mountPoint: string
  device: string
  filesystem: FilesystemKind
  capacityBytes: number
  freeBytes: number
  /** Everything that is not free to others, whoever wrote it. */
  usedBytes: number
}

/** Where the limit of a cache is known from. */
export type SizeSource = 'manual' | 'docker' | 'env' | 'fullDisk'

/** How large the cache of one datasource may become. */
export interface CacheLimit {
  /** Bytes that were typed in; null without. */
  overrideBytes: number | null
  /** 0: nothing is known. */
  resolvedBytes: number
  source: SizeSource
}

export interface Disk {
  /** The disk below the cache of a datasource. Waits a second at most once it is known. */
  space(datasource: string): Promise<DiskSpace>
  limit(datasource: string): Promise<CacheLimit>
  /** Bytes, the whole disk, or null: what the proxy was given. */
  setLimit(datasource: string, limit: number | 'fullDisk' | null): void
  /** Limits of all datasources together, shared ones once; 0: nothing is known. */
  configuredBytes(): Promise<number>
  /** Whether empty folders may be removed by `rsync`: it is installed. */
  hasRsync(): boolean
  stop(): void
}
