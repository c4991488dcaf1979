import { inflateRawSync } from 'node:zlib'
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

type Field = { number: number; value: number; bytes: Buffer | null }

/** The fields of a message in the wire format of Protocol Buffers. */
function* fieldsOf(message: Buffer): Generator<Field> {
  let at = 0
  function varint(): number {
    let value = 0
    for (let factor = 1; ; factor *= 128) {
      const byte = message[at++]
      if (byte === undefined || factor > 2 ** 63) throw new FormatError('a number is cut off')
      value += (byte & 127) * factor
      if (byte < 128) return value
    }
  }
  while (at < message.length) {
    const key = varint()
    const kind = key % 8
    const number = Math.floor(key / 8)
    if (kind === 0) {
      yield { number, value: varint(), bytes: null }
      continue
    }
    const length = kind === 2 ? varint() : kind === 5 ? 4 : kind === 1 ? 8 : Infinity
    if (at + length > message.length) throw new FormatError('a field is cut off')
    yield { number, value: 0, bytes: message.subarray(at, at + length) }
    at += length
  }
}

const shaBytes = 20

/** A chunk of `ContentManifestPayload`: its hash (1) and its compressed size (5). */
function chunkOf(message: Buffer): Chunk {
  let id = ''
  let bytes = 0
  for (const field of fieldsOf(message)) {
    if (field.number === 1 && field.bytes?.length === shaBytes) id = field.bytes.toString('hex')
    if (field.number === 5) bytes = field.value
  }
  if (id === '' || !Number.isSafeInteger(bytes)) throw new FormatError('a chunk has no hash')
  return { id, bytes }
}

/**
 * The chunks of a depot's manifest, each once, from the archive that content servers send: a file
 * list (field 1), each file with its chunks (field 6). Names of files may be encrypted; they are not
 * read. Throws FormatError.
 */
export function readManifest(file: Buffer): Chunk[] {
  const chunks = new Map<string, Chunk>()
  for (const mapping of fieldsOf(payloadOf(unzip(file)))) {
    if (mapping.number !== 1 || mapping.bytes === null) continue
    for (const { number, bytes } of fieldsOf(mapping.bytes)) {
      if (number !== 6 || bytes === null) continue
      const chunk = chunkOf(bytes)
      chunks.set(chunk.id, chunk)
    }
  }
  return [...chunks.values()]
}
