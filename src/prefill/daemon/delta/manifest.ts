import { zstdDecompressSync } from 'node:zlib'
import { FormatError } from '../content/format-error.ts'
import { TableFile } from './tables.ts'

const headBytes = 28
/** Manifests of the largest games have some ten megabytes. */
const bodyBytesMax = 512 * 1024 * 1024
/** No element takes less than this. */
const elementBytes = 4
const nameBytesMax = 1000

/** Slots of the fields that are read. */
const slots = {
  body: { bundles: 0, languages: 1, files: 2 },
  bundle: { id: 0, chunks: 1 },
  chunk: { id: 0, compressedBytes: 1 },
  file: { languageFlags: 4, chunkIds: 7 },
  language: { id: 0, name: 1 },
} as const

/** A file on the content server: chunks of game files, one after the other. */
export interface Bundle {
  /** 16 hex digits in upper case, as in its URL. */
  id: string
  bytes: number
}

function bodyOf(file: Buffer): Buffer {
  if (file.length < headBytes || file.toString('latin1', 0, 4) !== 'RMAN' || file[4] !== 2) {
    throw new FormatError('a manifest does not begin with RMAN, version 2')
  }
  const [first, bytes] = [file.readUInt32LE(8), file.readUInt32LE(12)]
  const bodyBytes = file.readUInt32LE(24)
  if (first + bytes > file.length || bodyBytes > bodyBytesMax) {
    throw new FormatError('the header of a manifest is malformed')
  }
  try {
    const options = { maxOutputLength: Math.max(bodyBytes, 1) }
    return zstdDecompressSync(file.subarray(first, first + bytes), options)
  } catch (cause) {
    throw new FormatError('a manifest cannot be decompressed', { cause })
  }
}

/** The bit of a language in the flags of a file; 0n: the game does not have it. */
function languageBit(tables: TableFile, body: number, wanted: string): bigint {
  for (const language of tables.tables(body, slots.body.languages)) {
    if (tables.text(language, slots.language.name, nameBytesMax).toLowerCase() !== wanted) continue
    const at = tables.field(language, slots.language.id)
    const id = at === null ? 0 : tables.uint8(at)
    return id === 0 ? 0n : 1n << BigInt(id - 1)
  }
  return 0n
}

/** Chunks of the files of no language in particular, or of the wanted one. */
function wantedChunks(tables: TableFile, body: number, wantedFlag: bigint): Set<bigint> {
  const chunks = new Set<bigint>()
  for (const file of tables.tables(body, slots.body.files)) {
    const at = tables.field(file, slots.file.languageFlags)
    const flags = at === null ? 0n : tables.uint64(at)
    if (flags !== 0n && (flags & wantedFlag) === 0n) continue
    for (const id of tables.elements(file, slots.file.chunkIds, 8)) chunks.add(tables.uint64(id))
  }
  return chunks
}

/**
 * Reads a manifest: the bundles that hold the files of one language, for example `en_us`. A chunk that
 * several bundles hold is taken from the last one, as the client does. Throws FormatError.
 */
export function readManifest(file: Buffer, language: string): Bundle[] {
  const content = bodyOf(file)
  const tables = new TableFile(content, content.length / elementBytes)
  const body = tables.root()
  const missing = wantedChunks(tables, body, languageBit(tables, body, language))
  const bundles: Bundle[] = []
  for (const bundle of [...tables.tables(body, slots.body.bundles)].toReversed()) {
    let bytes = 0
    let isWanted = false
    for (const chunk of tables.tables(bundle, slots.bundle.chunks)) {
      const id = tables.field(chunk, slots.chunk.id)
      if (id !== null && missing.delete(tables.uint64(id))) isWanted = true
      const size = tables.field(chunk, slots.chunk.compressedBytes)
      bytes += size === null ? 0 : tables.uint32(size)
    }
    const id = tables.field(bundle, slots.bundle.id)
    if (!isWanted || id === null) continue
    bundles.push({ id: tables.uint64(id).toString(16).toUpperCase().padStart(16, '0'), bytes })
  }
  return bundles.toReversed()
}
