import { createHash } from 'node:crypto'
import { deflateSync } from 'node:zlib'

export interface StandInChunk {
  /** 32 hex digits in upper case. */
  guid: string
  /** 16 of them. */
  hash: string
  group: number
  bytes: number
}

/** A file of a build: its name and the chunks that it consists of, by index. */
interface StandInFile {
  name: string
  chunks: number[]
}

/** What a build consists of, and how its manifest is written. */
export interface StandInBuild {
  chunks: StandInChunk[]
  files?: StandInFile[]
  /** Feature level of the binary form. */
  level?: number
  /** Version of the older form, which is JSON; null: it names none; absent: the binary form. */
  jsonVersion?: number | null
}

/** Chunks that differ from those of another seed. */
export const practiceChunks = (count: number, seed = 1): StandInChunk[] =>
  Array.from({ length: count }, (_, index) => {
    const digits = createHash('sha256').update(`${seed} ${index}`).digest('hex').toUpperCase()
    const bytes = 50_000 + 1000 * (index % 50)
    return { guid: digits.slice(0, 32), hash: digits.slice(32, 48), group: index % 100, bytes }
  })

const numbers = (bytes: number, values: number[]) => {
  const all = Buffer.alloc(bytes * values.length)
  values.forEach((value, index) => all.writeUIntLE(value, bytes * index, Math.min(bytes, 6)))
  return all
}

/** Numbers of so many hex digits, each written with its lowest byte first. */
const reversed = (text: string, digits: number) =>
  Buffer.concat(
    (text.match(new RegExp(`.{${digits}}`, 'g')) ?? []).map((one) =>
      Buffer.from(one, 'hex').toReversed(),
    ),
  )

const section = (...parts: Buffer[]) => {
  const body = Buffer.concat(parts)
  return Buffer.concat([numbers(4, [body.length + 4]), body])
}

/** A text, with its length and a zero at its end; empty: no length either. */
const text = (value: string) =>
  value === ''
    ? Buffer.alloc(4)
    : Buffer.concat([numbers(4, [value.length + 1]), Buffer.from(`${value}\0`, 'latin1')])

/** Bytes of each chunk that a file uses. */
const partBytes = 1000

function fileList(chunks: StandInChunk[], files: StandInFile[]): Buffer {
  const part = (index: number) =>
    Buffer.concat([
      numbers(4, [28]),
      reversed(chunks[index]?.guid ?? '', 8),
      numbers(4, [0, partBytes]),
    ])
  return section(
    Buffer.from([0]),
    numbers(4, [files.length]),
    ...files.map(({ name }) => text(name)),
    ...files.map(() => text('')),
    Buffer.alloc(20 * files.length, 3),
    Buffer.alloc(files.length),
    // No file has tags.
    Buffer.alloc(4 * files.length),
    ...files.map(({ chunks: parts }) =>
      Buffer.concat([numbers(4, [parts.length]), ...parts.map(part)]),
    ),
  )
}

/** The part of a binary manifest behind its header. */
export function encodePayload({ chunks, files = [], level = 18 }: StandInBuild): Buffer {
  const listed = section(
    Buffer.from([0]),
    numbers(4, [chunks.length]),
    reversed(chunks.map(({ guid }) => guid).join(''), 8),
    reversed(chunks.map(({ hash }) => hash).join(''), 16),
    Buffer.alloc(20 * chunks.length, 7),
    Buffer.from(chunks.map(({ group }) => group)),
    numbers(
      4,
      Array.from(chunks, () => 1_048_576),
    ),
    numbers(
      8,
      chunks.map(({ bytes }) => bytes),
    ),
  )
  const meta = section(
    Buffer.from([0]),
    numbers(4, [level]),
    Buffer.from([0]),
    numbers(4, [0]),
    ...['Practice', '1.0', 'practice.exe', ''].map(text),
    // No prerequisites: their ids, name, path and arguments.
    Buffer.alloc(16),
  )
  const noFields = section(Buffer.from([0]), numbers(4, [0]))
  return Buffer.concat([meta, listed, fileList(chunks, files), noFields])
}

/** A binary manifest around a payload. */
export function encodeBinary(payload: Buffer, { isCompressed = true } = {}): Buffer {
  const stored = isCompressed ? deflateSync(payload) : payload
  const head = Buffer.alloc(41)
  head.writeUInt32LE(0x44bec00c, 0)
  head.writeUInt32LE(head.length, 4)
  head.writeUInt32LE(payload.length, 8)
  head.writeUInt32LE(stored.length, 12)
  createHash('sha1').update(payload).digest().copy(head, 16)
  head.writeUInt8(isCompressed ? 1 : 0, 36)
  head.writeUInt32LE(18, 37)
  return Buffer.concat([head, stored])
}

const decimals = (bytes: Buffer) => [...bytes].map((byte) => String(byte).padStart(3, '0')).join('')

function encodeJson({ chunks, files = [], jsonVersion = null }: StandInBuild): Buffer {
  const byGuid = (value: (chunk: StandInChunk) => Buffer) =>
    Object.fromEntries(chunks.map((chunk) => [chunk.guid, decimals(value(chunk))]))
  const manifest = {
    ...(jsonVersion !== null && { ManifestFileVersion: decimals(numbers(4, [jsonVersion])) }),
    bIsFileData: false,
    AppID: decimals(numbers(4, [0])),
    AppNameString: 'Practice',
    BuildVersionString: '1.0',
    LaunchExeString: 'practice.exe',
    LaunchCommand: '',
    PrereqIds: [],
    PrereqName: '',
    PrereqPath: '',
    PrereqArgs: '',
    FileManifestList: files.map(({ name, chunks: parts }) => ({
      Filename: name,
      FileHash: decimals(Buffer.alloc(20, 3)),
      FileChunkParts: parts.map((index) => ({
        Guid: chunks[index]?.guid,
        Offset: decimals(numbers(4, [0])),
        Size: decimals(numbers(4, [partBytes])),
      })),
    })),
    ChunkHashList: byGuid(({ hash }) => reversed(hash, 16)),
    ChunkShaList: Object.fromEntries(chunks.map(({ guid }) => [guid, '07'.repeat(20)])),
    DataGroupList: byGuid(({ group }) => numbers(1, [group])),
    ChunkFilesizeList: byGuid(({ bytes }) => numbers(8, [bytes])),
    CustomFields: {},
  }
  return Buffer.from(JSON.stringify(manifest))
}

/** A manifest after its public description. */
export const encodeManifest = (build: StandInBuild): Buffer =>
  build.jsonVersion === undefined ? encodeBinary(encodePayload(build)) : encodeJson(build)

/** Where the chunks of a build are, below the directory of its manifest. */
export const chunkPath = ({ guid, hash, group }: StandInChunk, directory = 'ChunksV4'): string =>
  `${directory}/${group < 10 ? '0' : ''}${group}/${hash}_${guid}.chunk`
