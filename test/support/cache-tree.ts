import { closeSync, ftruncateSync, futimesSync, mkdirSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import {
  cacheFileBytes,
  sliceBytes as stockSliceBytes,
  sliceKey,
} from '../../src/demo/cache-generator.ts'
import { chunkName } from '../../src/demo/random.ts'
import { digestOf, dirName, pathOfDigest } from '../../src/engines/cache/format/key.ts'

const chunksPerTitle = 400
const firstStoredAt = 1_790_000_000

/**
 * Fills `root` with the given number of cache files in all hash directories, in the layout of the
 * stock proxy: own key and header each, full length, but no payload on disk. Returns the bytes.
 */
export function makeCacheTree(
  root: string,
  files: number,
  { titles = 200, sliceBytes = stockSliceBytes } = {},
): number {
  for (let dir = 0; dir < 65_536; dir++) {
    mkdirSync(join(root, dirName(dir)), { recursive: true, mode: 0o700 })
  }
  const none = new Uint8Array()
  let bytes = 0
  for (let at = 0; at < files; at++) {
    const title = at % titles
    const chunk = Math.floor(at / titles)
    const slice = chunk % 4
    const path = `/depot/${1000 + title}/chunk/${chunkName(title, chunk - slice)}`
    const key = sliceKey('steam', path, slice, sliceBytes)
    const from = slice * sliceBytes
    const head = [
      'HTTP/1.1 206 Partial Content',
      'Server: nginx',
      'Date: Thu, 05 Nov 2026 10:00:00 GMT',
      'Content-Type: application/x-steam-chunk',
      `Content-Length: ${sliceBytes}`,
      'Cache-Control: public,max-age=31536000',
      `Content-Range: bytes ${from}-${from + sliceBytes - 1}/${4 * sliceBytes}`,
      'ETag: "2f0c1a-5d3"',
      'Connection: keep-alive',
    ].join('\r\n')
    const storedAt = firstStoredAt + Math.floor(at / chunksPerTitle)
    const start = cacheFileBytes({ key, body: none, storedAt, head, etag: '"2f0c1a-5d3"' })
    const file = openSync(join(root, pathOfDigest(digestOf(key))), 'wx', 0o600)
    writeSync(file, start)
    ftruncateSync(file, start.length + sliceBytes)
    futimesSync(file, firstStoredAt, firstStoredAt)
    closeSync(file)
    bytes += start.length + sliceBytes
  }
  return bytes
}
