import { inflateRawSync } from 'node:zlib'
import { Reader } from 'protobufjs/minimal.js'
import { FormatError } from '../content/format-error.ts'

/** A part of a depot's files. */
export interface Chunk {
  /** SHA-1, 40 lower-case hex digits. */
  id: string
  /** Compressed, as it is downloaded. */
  bytes: number
}

/** Unpacked; the largest games have manifests of some ten MiB. */
const manifestBytesMax = 256 * 1024 * 1024

const zipEntry = 0x0403_4b50
const zipDirectory = 0x0201_4b50
const zipEnd = 0x0605_4b50
const zipEndBytes = 22
const deflated = 8

/** The only file of a zip archive (PKWARE APPNOTE 4.3), found by its directory. */
function unzip(file: Buffer): Buffer {
  const endAt = file.length - zipEndBytes
  if (endAt < 0 || file.readUInt32LE(endAt) !== zipEnd) throw new FormatError('not an archive')
  const directoryAt = file.readUInt32LE(endAt + 16)
  if (directoryAt + 46 > endAt || file.readUInt32LE(directoryAt) !== zipDirectory) {
    throw new FormatError('the archive has no directory')
  }
  const method = file.readUInt16LE(directoryAt + 10)
  const packedBytes = file.readUInt32LE(directoryAt + 20)
  const entryAt = file.readUInt32LE(directoryAt + 42)
  if (entryAt + 30 > directoryAt || file.readUInt32LE(entryAt) !== zipEntry) {
    throw new FormatError('the archive has no entry')
  }
  const dataAt = entryAt + 30 + file.readUInt16LE(entryAt + 26) + file.readUInt16LE(entryAt + 28)
  if (dataAt + packedBytes > directoryAt) throw new FormatError('the archive is cut off')
  const data = file.subarray(dataAt, dataAt + packedBytes)
  if (method !== deflated) return data
  try {
    return inflateRawSync(data, { maxOutputLength: manifestBytesMax })
  } catch (cause) {
    throw new FormatError('the archive cannot be unpacked', { cause })
  }
}

const payloadMagic = 0x71f6_17d0

/** The payload among the sections, each with a magic number and its length. */
function payloadOf(manifest: Buffer): Buffer {
  for (let at = 0; at + 8 <= manifest.length;) {
    const end = at + 8 + manifest.readUInt32LE(at + 4)
    if (end > manifest.length) throw new FormatError('the manifest is cut off')
    if (manifest.readUInt32LE(at) === payloadMagic) return manifest.subarray(at + 8, end)
    at = end
  }
  throw new FormatError('the manifest has no payload')
}

const shaBytes = 20
/** Numbers of fields, with the wire type that they have. */
const keys = { mapping: 10, chunk: 50, sha: 10, bytes: 40 } as const

/** The parts of a message in this field. */
function* partsOf(message: Uint8Array, wanted: number): Generator<Uint8Array, void, undefined> {
  const reader = Reader.create(message)
  while (reader.pos < reader.len) {
    const key = reader.uint32()
    if (key === wanted) yield reader.bytes()
    else reader.skipType(key & 7)
  }
}

/** A chunk of `ContentManifestPayload`: its hash and its compressed size. */
function chunkOf(message: Uint8Array): Chunk {
  const reader = Reader.create(message)
  let sha: Uint8Array = new Uint8Array()
  let bytes = 0
  while (reader.pos < reader.len) {
    const key = reader.uint32()
    if (key === keys.sha) sha = reader.bytes()
    else if (key === keys.bytes) bytes = reader.uint32()
    else reader.skipType(key & 7)
  }
  if (sha.length !== shaBytes) throw new FormatError('a chunk has no hash')
  return { id: sha.toHex(), bytes }
}

/**
 * The chunks of a depot's manifest, each once, from the archive that content servers send. Names of
 * files may be encrypted; they are not read. Throws FormatError.
 */
export function readManifest(file: Buffer): Chunk[] {
  const payload = payloadOf(unzip(file))
  const chunks = new Map<string, Chunk>()
  try {
    for (const mapping of partsOf(payload, keys.mapping)) {
      for (const part of partsOf(mapping, keys.chunk)) {
        const chunk = chunkOf(part)
        chunks.set(chunk.id, chunk)
      }
    }
  } catch (cause) {
    throw new FormatError('the manifest cannot be read', { cause })
  }
  return [...chunks.values()]
}
