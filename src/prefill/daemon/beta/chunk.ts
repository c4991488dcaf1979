import { FormatError } from '../content/format-error.ts'

/** Chunks of one build; the largest games have some hundred thousand. */
const chunksMax = 1_000_000
/** Chunks have about one megabyte. */
const chunkBytesMax = 1024 ** 3

/** Directory of the chunks, by the first feature level of manifests that has it. */
const directories = [
  [15, 'ChunksV4'],
  [6, 'ChunksV3'],
  [3, 'ChunksV2'],
] as const

interface ChunkParts {
  /** Feature level of the manifest. */
  level: number
  group: number
  hash: bigint
  /** 32 hex digits in upper case. */
  guid: string
  bytes: number
}

/** Throws FormatError for a size that no chunk has. */
export function chunkOf({ level, group, hash, guid, bytes }: ChunkParts) {
  if (!(bytes >= 0 && bytes <= chunkBytesMax)) {
    throw new FormatError('a chunk in a manifest has an impossible size')
  }
  const directory = directories.find(([first]) => level >= first)?.[1] ?? 'Chunks'
  const folder = `${directory}/${String(group).padStart(2, '0')}`
  const digits = hash.toString(16).toUpperCase().padStart(16, '0')
  return { path: `${folder}/${digits}_${guid}.chunk`, bytes }
}
/** A file on the content server that holds a part of the game; below the manifest's directory. */
export type Chunk = ReturnType<typeof chunkOf>

/** Throws FormatError for more chunks than a build can have. */
export function requireCount(count: number): void {
  if (count < 0 || count > chunksMax) throw new FormatError('a manifest lists too many chunks')
}
