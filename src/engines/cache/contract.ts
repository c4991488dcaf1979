import type { PhraseValues } from '../../core/lib/phrases.ts'

/** What the cache engine promises to the main thread. Everything here crosses a thread as plain data. */

/** A cache directory tree as the engine is told to look at it. */
export interface CacheRoot {
  datasource: string
  /** As configured; the engine resolves links and works below the canonical path. */
  path: string
  scheme: KeyScheme
  /** Bytes of one slice; what the proxy of this tree is set to. 0: objects lie in one piece. */
  sliceBytes: number
  /** The file system did not answer lately: it is left alone until it does. */
  isUnresponsive?: boolean
  /** On a network file system: many directories are read at once. */
  isRemote?: boolean
}

export type KeyScheme = 'monolithic' | 'bare_metal'

/** How closely a walk looks; each includes the one before. */
export type WalkDepth =
  /** Reads names where a directory changed and headers of new or replaced files. */
  | 'directories'
  /** Also compares the fingerprint of every file and reads those that changed, and old findings. */
  | 'fingerprints'
  /** Reads every header. */
  | 'headers'

export interface WalkProgress {
  /** 0 to 100 over all trees of the walk. */
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
   * Why nothing was changed or the walk did not end: a directory that is missing, empty or lost
   * more than 90 % of its files, no permission, an unknown layout. With `complete`: files whose
   * heads could not be read. Null when all is well.
   */
  problem: string | null
  files: number
  bytes: number
  directories: number
  hexDirectories: number
  added: number
  removed: number
  headersRead: number
  /** Of heads; payloads are never read. */
  bytesRead: number
  /** Of the files whose head was read, those with holes. */
  sparseFiles: number
  /** Entries that are never opened: links, devices and pipes, names that are no piece of a cache. */
  links: number
  specialFiles: number
  foreignEntries: number
  temporaryFiles: number
  /** Files whose head could not be read; `problem` names the first. */
  ioErrors: number
  durationMs: number
}

/** The state of one tree; figures are those of the last complete walk. */
export interface RootState {
  datasource: string
  /** Another datasource with the same directory: its figures are these. Sums count only null. */
  sharedWith: string | null
  path: string
  scheme: KeyScheme
  sliceBytes: number
  state: 'new' | 'walking' | 'complete' | 'failed'
  /** Why the last walk failed or changed nothing, for people. */
  problem: string | null
  /** The same for pages in other languages, with the values that belong to it. */
  problemKey: string | null
  problemContext: PhraseValues | null
  files: number
  bytes: number
  directories: number
  hexDirectories: number
  walkedAt: string | null
  walkMs: number
}

/** What a size scan found, over all trees; kept over restarts. */
export interface SizeScan {
  totalBytes: number
  totalFiles: number
  /** Directories of both levels, and those of them with a hash name. */
  totalDirectories: number
  hexDirectories: number
  scanDurationMs: number
  /** How long deleting all of it would take. */
  deletionSeconds: { preserve: number; full: number; rsync: number }
  /** ISO-8601 UTC, when it ended. */
  timestamp: string
  /** Used bytes of each disk at that time: a scan is stale when they moved on. */
  usage: { mountPoint: string; usedBytes: number }[]
}

/** Measured speed of deleting, kept in the index under `deletionRate:<mode>`. */
export interface DeletionRate {
  secondsPerFile: number
  secondsPerDirectory: number
}

/** All pieces of one title in one tree. */
export interface CacheContent {
  id: number
  datasource: string
  tag: string
  service: string
  titleKey: string
  files: number
  bytes: number
  firstStoredAt: number
  lastStoredAt: number
  sampleUris: string[]
}

/** An object as logs and samples of downloads name it. */
export interface ObjectName {
  datasource: string
  /** Cache tag (log tag), not the service of reports. */
  tag: string
  /** Normalised path, without the query. */
  uri: string
  /** First byte that was asked for; decides the slice. */
  firstByte: number
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

export type SkipReason = (typeof skipReasons)[number]
/** Why a file is not judged; in the order of their numbers in the index. */
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

/** Which files of the index to remove; every file is checked again right before it is unlinked. */
export type RemovalSelection =
  | { kind: 'contents'; contentIds: number[] }
  | { kind: 'files'; files: { datasource: string; digest: string }[] }

export interface RemovalProgress {
  filesDone: number
  filesTotal: number
  bytesFreed: number
}

export interface RemovalOutcome {
  state: 'complete' | 'cancelled' | 'failed'
  /** Unlinked by this call. */
  filesDeleted: number
  /** Lengths of the files that were unlinked, header included. */
  bytesFreed: number
  alreadyMissing: number
  /** Present, but not what the index said (another key, changed since): left alone. */
  filesChanged: number
  directoriesRemoved: number
  /** First reason for `failed`, for people. */
  problem: string | null
  permissionErrors: number
}

export type DeleteMode = 'preserve' | 'full' | 'rsync'

export interface RemovalOptions {
  /** Hash directories that are left empty go too; the proxy makes them anew. */
  removesEmptyFolders: boolean
  /** Datasources on network file systems: several files are removed at once there. */
  networkDatasources: string[]
}

export interface ClearOptions {
  datasource: string
  mode: DeleteMode
  /** First-level directories that are worked on at once. */
  threads: number
}

export interface ClearProgress {
  directoriesProcessed: number
  totalDirectories: number
  filesDeleted: number
  /** Lengths of the files that went. */
  bytesDeleted: number
  activeDirectories: number
}

export interface ClearOutcome extends Omit<ClearProgress, 'activeDirectories'> {
  state: 'complete' | 'cancelled' | 'failed'
  /** First reason for `failed`, for people. */
  problem: string | null
  /** Links, special files, pieces being written and files of others, which are left alone. */
  entriesLeft: number
  permissionErrors: number
  /**
   * Change of the free space of the disk meanwhile, bytes: other programs change it too, and blocks
   * are not lengths. Below 0 when more was written than went; null when it was not asked.
   */
  freeSpaceGained: number | null
}
