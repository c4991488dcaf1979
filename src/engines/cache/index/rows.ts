import type { cacheFile, cacheRoot } from '../../../../db/cache/schema.ts'

/** A row of `cache_root`, as used by the engine. */
export type RootRow = typeof cacheRoot.$inferSelect

/** A row of `cache_file`, without its position. */
export interface FileRow extends Omit<typeof cacheFile.$inferSelect, 'rootId' | 'dir' | 'digest'> {
  digest: string
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
