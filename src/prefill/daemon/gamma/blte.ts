import { createHash } from 'node:crypto'
import { pipeline } from 'node:stream'
import { createInflate } from 'node:zlib'
import { FormatError } from '../content/format-error.ts'
import { ByteSource } from './byte-source.ts'

const chunkEntryBytes = 24
/** Manifests have some tens. */
const chunksMax = 100_000
/** Content of one chunk; manifests may be a single one. */
const chunkBytesMax = 512 * 1024 * 1024
/** The most that deflate can do. */
const ratioMax = 1100

const md5 = (...parts: Buffer[]) => {
  const hash = createHash('md5')
  for (const part of parts) hash.update(part)
  return hash.digest('hex')
}

/** The chunk table, whose MD5 is the key of the file. Null: one chunk without a table. */
async function readTable(file: ByteSource, key: string): Promise<Buffer | null> {
  const head = await file.take(8)
  if (head.toString('latin1', 0, 4) !== 'BLTE') {
    throw new FormatError('a file does not begin with BLTE')
  }
  const headerBytes = head.readUInt32BE(4)
  if (headerBytes === 0) return null
  const counts = await file.take(4)
  const count = counts.readUIntBE(1, 3)
  if (count === 0 || count > chunksMax || headerBytes !== 12 + chunkEntryBytes * count) {
    throw new FormatError('the header of a BLTE file is malformed')
  }
  const table = await file.take(chunkEntryBytes * count)
  if (md5(head, counts, table) !== key) throw new FormatError('a BLTE file has another key')
  return table
}

const isZlibError = (error: unknown) =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')

async function* inflated(parts: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  const inflate = createInflate({ chunkSize: 64 * 1024 })
  // Reading ends with the same errors.
  pipeline(parts, inflate, () => {})
  try {
    for await (const part of inflate) yield part as Buffer
  } catch (error) {
    if (!isZlibError(error)) throw error
    throw new FormatError('a BLTE chunk cannot be decompressed', { cause: error })
  }
}

/** Content of a chunk: its first byte says how the others are encoded. */
async function* decoded(
  parts: AsyncGenerator<Buffer, void, undefined>,
  contentBytes: number,
): AsyncGenerator<Buffer, void, undefined> {
  const source = new ByteSource(parts)
  const mode = String.fromCharCode(await source.uint(1))
  if (mode !== 'N' && mode !== 'Z') {
    throw new FormatError(`a BLTE chunk has the unknown mode ${mode.charCodeAt(0)}`)
  }
  let left = contentBytes
  for await (const part of mode === 'N' ? source.rest() : inflated(source.rest())) {
    left -= part.length
    if (left < 0) throw new FormatError('a BLTE chunk holds more than it announces')
    yield part
  }
}

/** Content of the chunk that an entry of the table describes. */
async function* readChunk(
  file: ByteSource,
  entry: Buffer,
): AsyncGenerator<Buffer, void, undefined> {
  const [bytes, contentBytes] = [entry.readUInt32BE(0), entry.readUInt32BE(4)]
  if (contentBytes > Math.min(chunkBytesMax, bytes * ratioMax + 1024)) {
    throw new FormatError('a BLTE chunk announces more than it can hold')
  }
  const actual = createHash('md5')
  async function* hashed() {
    for await (const part of file.parts(bytes)) {
      actual.update(part)
      yield part
    }
  }
  yield* decoded(hashed(), contentBytes)
  if (!actual.digest().equals(entry.subarray(8))) throw new FormatError('a BLTE chunk is damaged')
}

async function* contentOf(file: ByteSource, key: string): AsyncGenerator<Buffer, void, undefined> {
  const table = await readTable(file, key)
  if (table === null) {
    yield* decoded(file.rest(), chunkBytesMax)
    return
  }
  for (let at = 0; at < table.length; at += chunkEntryBytes) {
    yield* readChunk(file, table.subarray(at, at + chunkEntryBytes))
  }
}

/**
 * Reads the content of a BLTE file with this key as it comes, to its end also where `read` stops
 * before. Rejects with FormatError, also for damaged content.
 */
export async function readBlte<T>(
  file: AsyncIterable<Buffer>,
  key: string,
  read: (content: ByteSource) => Promise<T>,
): Promise<T> {
  const content = new ByteSource(contentOf(new ByteSource(file), key))
  try {
    const result = await read(content)
    await content.skipRest()
    return result
  } finally {
    await content.close()
  }
}
