import type { KeyScheme } from '../contract.ts'

/** A row of `cache_root` as the engine works with it. */
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

/** A row of `cache_file`, apart from its place. */
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

/** What a walk compares a file on disk with. */
export type KnownFile = Pick<
  FileRow,
  'digest' | 'inode' | 'mtimeMs' | 'ctimeMs' | 'bytes' | 'issues' | 'skipped'
>
