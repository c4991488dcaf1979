import { inflateSync } from 'node:zlib'
import { FormatError } from '../content/format-error.ts'

const headBytes = 8
const chunkEntryBytes = 24
/** Content of one chunk; manifests may be a single one. */
const chunkBytesMax = 512 * 1024 * 1024
/** The most that deflate can do. */
const ratioMax = 1100

interface Chunk {
  first: number
  bytes: number
  /** Null: not announced. */
  contentBytes: number | null
}

function chunksOf(file: Buffer): Chunk[] {
  if (file.length < headBytes || file.toString('latin1', 0, 4) !== 'BLTE') {
    throw new FormatError('a file does not begin with BLTE')
  }
  const headerBytes = file.readUInt32BE(4)
  if (headerBytes === 0) {
    return [{ first: headBytes, bytes: file.length - headBytes, contentBytes: null }]
  }
  const count = file.length < headBytes + 4 ? 0 : file.readUIntBE(9, 3)
  if (count === 0 || headerBytes !== 12 + chunkEntryBytes * count || headerBytes > file.length) {
    throw new FormatError('the header of a BLTE file is malformed')
  }
  const chunks: Chunk[] = []
  let first = headerBytes
  for (let entry = 12; entry < headerBytes; entry += chunkEntryBytes) {
    const bytes = file.readUInt32BE(entry)
    chunks.push({ first, bytes, contentBytes: file.readUInt32BE(entry + 4) })
    first += bytes
  }
  if (first > file.length) throw new FormatError('a BLTE file ends too early')
  return chunks
}

function contentOf(file: Buffer, { first, bytes, contentBytes }: Chunk): Buffer {
  const mode = String.fromCharCode(file[first] ?? 0)
  const data = file.subarray(first + 1, first + bytes)
  if (mode === 'N') return data
  if (mode !== 'Z') throw new FormatError(`a BLTE chunk has the unknown mode ${mode.charCodeAt(0)}`)
  const limit = Math.min(chunkBytesMax, data.length * ratioMax + 1024)
  if (contentBytes !== null && contentBytes > limit) {
    throw new FormatError('a BLTE chunk announces more than it can hold')
  }
  try {
    return inflateSync(data, { maxOutputLength: Math.max(contentBytes ?? limit, 1) })
  } catch (cause) {
    throw new FormatError('a BLTE chunk cannot be decompressed', { cause })
  }
}

/** The content of a BLTE file, chunk by chunk. Throws FormatError. */
export function* readBlte(file: Buffer): Generator<Buffer, void, undefined> {
  for (const chunk of chunksOf(file)) yield contentOf(file, chunk)
}
