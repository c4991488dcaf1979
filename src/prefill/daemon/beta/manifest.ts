import { createHash } from 'node:crypto'
import { inflateSync } from 'node:zlib'
import { FormatError } from '../content/format-error.ts'
import { chunkOf, requireCount, type Chunk } from './chunk.ts'
import { readJsonManifest } from './json-manifest.ts'

const magic = 0x44bec00c
/** Positions in the header of a binary manifest, little-endian. */
const header = { bytes: 4, payloadBytes: 8, sha1: 16, storage: 36, length: 41 } as const
const storage = { compressed: 1, encrypted: 2 } as const
/** Manifests of the largest games have some ten megabytes. */
const payloadBytesMax = 512 * 1024 * 1024

/** The section about the build begins with its length, a version (one byte) and the feature level. */
const build = { level: 5, bytesMin: 9 } as const
/** A list of chunks begins with its length, a version and the number of chunks. */
const listHeadBytes = 9
/**
 * Columns follow, each with one field of all chunks: GUID (16 bytes), hash (8), SHA-1 (20), group (1),
 * window (4) and size (8). Bytes that the columns before one take for each chunk:
 */
const columns = { guid: 0, hash: 16, group: 44, bytes: 49 } as const
const chunkBytes = 57

function unpacked(file: Buffer, isCompressed: boolean): Buffer {
  const stored = file.subarray(file.readUInt32LE(header.bytes))
  const payloadBytes = file.readUInt32LE(header.payloadBytes)
  if (payloadBytes > payloadBytesMax) throw new FormatError('a manifest is too large')
  if (!isCompressed) return stored.subarray(0, payloadBytes)
  try {
    return inflateSync(stored, { maxOutputLength: Math.max(payloadBytes, 1) })
  } catch (cause) {
    throw new FormatError('a manifest cannot be decompressed', { cause })
  }
}

function payloadOf(file: Buffer): Buffer {
  if (file.length < header.length || file.readUInt32LE(0) !== magic) {
    throw new FormatError('a manifest does not begin like one')
  }
  const flags = file.readUInt8(header.storage)
  if ((flags & storage.encrypted) !== 0) throw new FormatError('a manifest is encrypted')
  const payload = unpacked(file, (flags & storage.compressed) !== 0)
  const sha1 = createHash('sha1').update(payload).digest()
  if (sha1.equals(file.subarray(header.sha1, header.sha1 + sha1.length))) return payload
  throw new FormatError('a manifest is damaged: its checksum is another one')
}

/** The feature level, and the list of chunks, which follows the section about the build. */
function chunkList(payload: Buffer): { level: number; list: Buffer; count: number } {
  const start = payload.length < build.bytesMin ? 0 : payload.readUInt32LE(0)
  const list = payload.subarray(start)
  if (start < build.bytesMin || list.length < listHeadBytes) {
    throw new FormatError('a manifest has no list of chunks')
  }
  const count = list.readInt32LE(5)
  requireCount(count)
  const bytes = list.readUInt32LE(0)
  if (bytes > list.length || listHeadBytes + count * chunkBytes > bytes) {
    throw new FormatError('a manifest ends before its list of chunks')
  }
  return { level: payload.readInt32LE(build.level), list, count }
}

function* binaryChunks(file: Buffer): Generator<Chunk, void, undefined> {
  const { level, list, count } = chunkList(payloadOf(file))
  const column = (name: keyof typeof columns) => listHeadBytes + count * columns[name]
  for (let index = 0; index < count; index++) {
    const guidAt = column('guid') + 16 * index
    // Four numbers: in the name of a file the highest byte of each comes first.
    const guid = Buffer.from(list.subarray(guidAt, guidAt + 16))
      .swap32()
      .toString('hex')
    yield chunkOf({
      level,
      guid: guid.toUpperCase(),
      hash: list.readBigUInt64LE(column('hash') + 8 * index),
      group: list.readUInt8(column('group') + index),
      bytes: Number(list.readBigInt64LE(column('bytes') + 8 * index)),
    })
  }
}

/** Reads a manifest: the chunks that a build consists of. Throws FormatError. */
export const readManifest = (file: Buffer): Chunk[] =>
  file[0] === 0x7b ? readJsonManifest(file) : [...binaryChunks(file)]
