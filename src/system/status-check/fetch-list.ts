import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import type { Extract } from 'tar-stream'
import { boundedAnswer, OutsideError, type Outside } from '../../core/lib/outside.ts'

/** The real archive has 20 KiB. */
const archiveBytesMax = 16 * 1024 * 1024
const unpackedBytesMax = 64 * 1024 * 1024
const entryBytesMax = 4 * 1024 * 1024
const entriesMax = 2000
const timeoutMs = 30_000
/** Files in the folder of the archive; all others are skipped. */
const wanted = /^[^/]+\/([\w.-]+\.(?:json|txt))$/

async function filesOf(extract: Extract): Promise<Map<string, string>> {
  const files = new Map<string, string>()
  let entries = 0
  for await (const entry of extract) {
    if (++entries > entriesMax) throw new OutsideError('the archive has too many files', null)
    const { name, size, type } = entry.header
    const file = wanted.exec(name)?.[1]
    if (file !== undefined && type === 'file' && size <= entryBytesMax) {
      files.set(file, await text(entry))
    } else entry.resume()
  }
  return files
}

/**
 * Text files in the top folder of a `.tar.gz` archive, unpacked while it arrives. Throws
 * OutsideError; rejects with the signal's reason.
 */
export async function fetchArchive(
  outside: Outside,
  url: string,
  signal: AbortSignal,
): Promise<Map<string, string>> {
  const tar = await import('tar-stream')
  const { host } = new URL(url)
  return outside.get({ url, signal, timeoutMs, bytesMax: archiveBytesMax }, async (response) => {
    const extract = tar.extract()
    const unpacked = response.body?.pipeThrough(new DecompressionStream('gzip'))
    const { body } = boundedAnswer(new Response(unpacked), host, unpackedBytesMax)
    const files = filesOf(extract)
    try {
      await Promise.all([files, pipeline(body ?? [], extract)])
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof OutsideError) throw error
      throw new OutsideError(`${host} sent no readable archive`, null, error)
    }
    return files
  })
}
