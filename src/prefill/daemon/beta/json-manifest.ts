import { Type, type Static } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { FormatError } from '../content/format-error.ts'
import { chunkOf, requireCount, type Chunk } from './chunk.ts'

/** Longer ones are refused unread: parsed, they take several times as much memory. */
const bytesMax = 128 * 1024 * 1024
const guidPattern = /^[0-9A-F]{32}$/

const Numbers = Type.Record(Type.String(), Type.String())
const JsonManifest = Type.Object({
  ManifestFileVersion: Type.Optional(Type.String()),
  ChunkHashList: Numbers,
  DataGroupList: Numbers,
  ChunkFilesizeList: Numbers,
})

/** Feature level of manifests that do not name it. */
const levelUsual = 13

/** Decodes a number: three decimal digits for each byte, the lowest byte first. */
function numberOf(text = ''): bigint {
  if (!/^(?:\d{3}){1,8}$/.test(text)) throw new FormatError('a number in a manifest is malformed')
  const number = Buffer.alloc(8)
  for (let at = 0; at < text.length; at += 3) {
    const byte = Number(text.slice(at, at + 3))
    if (byte > 255) throw new FormatError('a number in a manifest is malformed')
    number[at / 3] = byte
  }
  return number.readBigUInt64LE()
}

function parse(file: Buffer): Static<typeof JsonManifest> {
  if (file.length > bytesMax) throw new FormatError('a manifest is too large')
  let value: unknown
  try {
    value = JSON.parse(file.toString('utf8'))
  } catch (cause) {
    throw new FormatError('a manifest is not JSON', { cause })
  }
  if (Value.Check(JsonManifest, value)) return value
  throw new FormatError('a manifest has an unknown form')
}

/** Reads a manifest of the older form, which is JSON. Throws FormatError. */
export function readJsonManifest(file: Buffer): Chunk[] {
  const manifest = parse(file)
  const { ManifestFileVersion: version } = manifest
  const level = version === undefined ? levelUsual : Number(numberOf(version))
  const hashes = Object.entries(manifest.ChunkHashList)
  requireCount(hashes.length)
  return hashes.map(([guid, hash]) => {
    if (!guidPattern.test(guid)) throw new FormatError('a chunk in a manifest has no identifier')
    return chunkOf({
      level,
      guid,
      hash: numberOf(hash),
      group: Number(numberOf(manifest.DataGroupList[guid])),
      bytes: Number(numberOf(manifest.ChunkFilesizeList[guid])),
    })
  })
}
