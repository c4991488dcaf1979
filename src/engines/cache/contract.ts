import type { KeyScheme } from './format/key-scheme.ts'
export type { KeyScheme } from './format/key-scheme.ts'
export type { ClearOptions, DeleteMode, ObjectName, RemovalSelection } from '../inputs.ts'
import type { IndexState } from './wire.ts'

/** What the cache engine offers the main thread. Everything here crosses a thread as plain data. */

/** A cache directory tree, as passed to the engine. */
export interface CacheRoot {
  datasource: string
  /** As configured; the engine resolves links and works below the canonical path. */
  path: string
  scheme: KeyScheme
  /** Slice size in bytes, as configured in this tree's proxy. 0: objects are stored whole. */
  sliceBytes: number
  /** The file system recently stopped answering: the engine skips it until it responds. */
  isUnresponsive?: boolean
  /** On a network file system: the engine reads many directories in parallel. */
  isRemote?: boolean
}

/** How thorough a walk is; each depth includes the one before. */
export type WalkDepth =
  /** Reads names where a directory changed, and headers of new or replaced files. */
  | 'directories'
  /** Also compares every file's fingerprint; reads the changed files and earlier findings again. */
  | 'fingerprints'
  /** Reads every header. */
  | 'headers'

export interface WalkProgress {
  /** 0 to 100, over all trees of the walk. */
  percentComplete: number
  datasource: string
  directoriesScanned: number
  totalDirectories: number
  filesSeen: number
  headersRead: number
  filesPerSecond: number
  /** Null in the first two seconds. */
  etaSeconds: number | null
  inFlight: number
}

export interface WalkOutcome {
  datasource: string
  state: 'complete' | 'cancelled' | 'failed'
  /**
   * Why the walk changed nothing or did not finish: a directory that is missing, empty or lost more
   * than 90 % of its files, no permission, an unknown layout. With `complete`: files whose headers
   * could not be read. Null without problems.
   */
  problem: string | null
  files: number
  bytes: number
  directories: number
  hexDirectories: number
  added: number
  removed: number
  headersRead: number
  /** Bytes of headers; payloads are never read. */
  bytesRead: number
  /** Sparse files among those whose header was read. */
  sparseFiles: number
  /** Entries that are never opened: links, devices, pipes, and names that no cache file has. */
  links: number
  specialFiles: number
  foreignEntries: number
  temporaryFiles: number
  /** Files whose header could not be read; `problem` names the first. */
  ioErrors: number
  durationMs: number
}

/** The state of one tree. */
export interface RootState extends IndexState {
  path: string
  scheme: KeyScheme
  /** What is missing in its index is missing in the cache, too. */
  isConclusive: boolean
}

/** Result of a size scan over all trees; survives restarts. */
export interface SizeScan {
  totalBytes: number
  totalFiles: number
  /** Directories of both levels, and those of them with a hash name. */
  totalDirectories: number
  hexDirectories: number
  scanDurationMs: number
  /** Estimated time to delete the whole cache. */
  deletionSeconds: { preserve: number; full: number; rsync: number }
  /** ISO-8601 UTC, at the end of the scan. */
  timestamp: string
  /** Used bytes of each disk at that time: when they have changed, the scan is stale. */
  usage: { mountPoint: string; usedBytes: number }[]
}

/** Measured deletion speed, kept in the index under `deletionRate:<mode>`. */
export interface DeletionRate {
  secondsPerFile: number
  secondsPerDirectory: number
}

/** All cache files of one title in one tree. */
export interface CacheContent {
  id: number
  datasource: string
  tag: string
  service: string
  titleKey: string
  files: number
  bytes: number
  lastStoredAt: number
  sampleUris: string[]
}

export type StructuralIssue = (typeof structuralIssues)[number]
/** In the order of their bits in the index. */
export const structuralIssues = [
  'empty_cache_file',
  'truncated_cache_header',
  'malformed_cache_header',
  'invalid_payload_offset',
  'truncated_before_payload',
  'cache_key_path_mismatch',
  'payload_length_mismatch',
  'content_range_length_mismatch',
  'content_length_range_conflict',
  'slice_disagreement',
] as const

/** Facts in which all slices of an object must agree. */
export const sliceFacts = ['etag', 'lastModified', 'totalLength'] as const
export type SliceFact = (typeof sliceFacts)[number]

export type SkipReason = (typeof skipReasons)[number]
/** Why a file was skipped; in the order of their numbers in the index. */
export const skipReasons = [
  'unsupported_platform',
  'unsupported_cache_version',
  'unsupported_layout',
  'unsupported_status',
  'unsupported_range_shape',
  'no_authoritative_length',
  'ambiguous_http_headers',
  'recent',
  'changed',
  'replaced',
  'symlink',
  'special_file',
  'foreign_path',
  'io_error',
  'cancelled',
  'count_enumeration_io_error',
] as const

export interface RemovalProgress {
  filesDone: number
  filesTotal: number
  bytesFreed: number
}

export interface RemovalOutcome {
  state: 'complete' | 'cancelled' | 'failed'
  /** Unlinked by this call. */
  filesDeleted: number
  /** Sizes of the unlinked files, header included. */
  bytesFreed: number
  alreadyMissing: number
  /** Present, but different from the index (another key, or changed since): left in place. */
  filesChanged: number
  directoriesRemoved: number
  /** First reason for `failed`, as text. */
  problem: string | null
  permissionErrors: number
  /** Nodes that did not answer to the end; `state` is that of the others. */
  lost?: { datasources: readonly string[]; problem: string }[]
}

export const nothingFreed: Readonly<RemovalOutcome> = {
  state: 'complete',
  filesDeleted: 0,
  bytesFreed: 0,
  alreadyMissing: 0,
  filesChanged: 0,
  directoriesRemoved: 0,
  problem: null,
  permissionErrors: 0,
}

export interface RemovalOptions {
  /** Also removes hash directories that become empty; the proxy creates them again. */
  removesEmptyFolders: boolean
  /** Datasources on network file systems, where several files are removed in parallel. */
  networkDatasources: string[]
}

export interface ClearProgress {
  directoriesProcessed: number
  totalDirectories: number
  filesDeleted: number
  /** Sizes of the deleted files. */
  bytesDeleted: number
  activeDirectories: number
}

export interface ClearOutcome extends Omit<ClearProgress, 'activeDirectories'> {
  state: 'complete' | 'cancelled' | 'failed'
  /** First reason for `failed`, as text. */
  problem: string | null
  /** Links, special files, temporary files of the proxy and foreign files, which stay in place. */
  entriesLeft: number
  permissionErrors: number
  /**
   * Change of the disk's free space during the run, in bytes. It differs from the sum of lengths:
   * other programs use the disk, too, and files occupy whole blocks. Below 0 when more was written
   * than deleted; null when not measured.
   */
  freeSpaceGained: number | null
}
