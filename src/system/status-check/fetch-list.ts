import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import tar from 'tar-stream'
import { OutsideError, type Outside } from '../../core/lib/outside.ts'

/** The real archive has 20 KiB. */
const archiveBytesMax = 16 * 1024 * 1024
const unpackedBytesMax = 64 * 1024 * 1024
const entryBytesMax = 4 * 1024 * 1024
const entriesMax = 2000
const timeoutMs = 30_000
/** Files in the folder of the archive; all others are skipped. */
const wanted = /^[^/]+\/([\w.-]+\.(?:json|txt))$/

/** Passes bytes on until there are too many. */
async function* atMost(source: AsyncIterable<unknown>, max: number, host: string) {
  let bytes = 0
  for await (const chunk of source) {
    if (!(chunk instanceof Uint8Array)) continue
    bytes += chunk.length
    if (bytes > max) throw new OutsideError(`${host} sent more than ${max} bytes`, null)
    yield chunk
  }
}

async function textOf(entry: AsyncIterable<unknown>): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of entry) if (chunk instanceof Uint8Array) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

async function filesOf(extract: tar.Extract): Promise<Map<string, string>> {
  const files = new Map<string, string>()
  let entries = 0
  for await (const entry of extract) {
    if (++entries > entriesMax) throw new OutsideError('the archive has too many files', null)
    const { name, size, type } = entry.header
    const file = wanted.exec(name)?.[1]
    if (file !== undefined && type === 'file' && size <= entryBytesMax) {
      files.set(file, await textOf(entry))
    } else entry.resume()
  }
  return files
}

/**
 * Text files in the top folder of a `.tar.gz` archive, unpacked while it arrives. Throws
 * OutsideError; rejects with the signal's reason.
 */
export function fetchArchive(
  outside: Outside,
  url: string,
  signal: AbortSignal,
): Promise<Map<string, string>> {
  const { host } = new URL(url)
  return outside.get({ url, signal, timeoutMs, bytesMax: archiveBytesMax }, async (response) => {
    const extract = tar.extract()
    const body = response.body ?? new ReadableStream<Uint8Array>()
    const files = filesOf(extract)
    try {
      await Promise.all([
        files,
        pipeline(
          Readable.from(body),
          createGunzip(),
          (unpacked: AsyncIterable<unknown>) => atMost(unpacked, unpackedBytesMax, host),
          extract,
        ),
      ])
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof OutsideError) throw error
      throw new OutsideError(`${host} sent no readable archive`, null, error)
    }
    return files
  })
}
