import { FormatError } from '../content/format-error.ts'

/** Chunks of one build; the largest games have some hundred thousand. */
const chunksMax = 1_000_000
/** Chunks have about one megabyte. */
const chunkBytesMax = 1024 ** 3

/** A file on the content server that holds a part of the game. */
export interface Chunk {
  /** Below the directory of the manifest. */
  path: string
  bytes: number
}

interface ChunkParts {
  directory: string
  group: number
  hash: bigint
  /** 32 hex digits in upper case. */
  guid: string
  bytes: number
}

/** Throws FormatError for a size that no chunk has. */
export function chunkOf({ directory, group, hash, guid, bytes }: ChunkParts): Chunk {
  if (!(bytes >= 0 && bytes <= chunkBytesMax)) {
    throw new FormatError('a chunk in a manifest has an impossible size')
  }
  const folder = `${directory}/${String(group).padStart(2, '0')}`
  const digits = hash.toString(16).toUpperCase().padStart(16, '0')
  return { path: `${folder}/${digits}_${guid}.chunk`, bytes }
}

/** Throws FormatError for more chunks than a build can have. */
export function requireCount(count: number): void {
  if (count < 0 || count > chunksMax) throw new FormatError('a manifest lists too many chunks')
}
