import type { KeyScheme } from '../format/key-scheme.ts'

/** A row of `cache_root`, as used by the engine. */
export interface RootRow {
  id: number
  datasource: string
  path: string
  scheme: KeyScheme
  sliceBytes: number
  state: 'new' | 'walking' | 'complete' | 'failed'
  problem: string | null
  files: number
  bytes: number
  directories: number
  hexDirectories: number
  walkedAt: number | null
  walkMs: number
  nextDir: number
}

/** A row of `cache_file`, without its position. */
export interface FileRow {
  digest: string
  contentId: number
  objectHash: number
  sliceStart: number
  bytes: number
  etagHash: number
  lastModifiedAt: number
  objectBytes: number
  storedAt: number
  inode: number
  mtimeMs: number
  ctimeMs: number
  issues: number
  skipped: number
}

/** The indexed values that a walk compares with the file on disk. */
export type KnownFile = Pick<
  FileRow,
  'digest' | 'inode' | 'mtimeMs' | 'ctimeMs' | 'bytes' | 'issues' | 'skipped'
>

/** The sums of some files of a content, or of all; times in Unix seconds. */
export interface Total {
  files: number
  bytes: number
  firstAt: number
  lastAt: number
}
