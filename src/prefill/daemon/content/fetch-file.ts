import type { CacheClient } from './cache-client.ts'
import type { ContentObject } from './download.ts'
import { RefusedContent, requireContent, withFailOver } from './fail-over.ts'
import { isHit, type Meter } from './meter.ts'

interface FileOptions {
  client: CacheClient
  signal: AbortSignal
  meter: Meter
  /** Larger files are refused. */
  bytesMax: number
}

const attemptsMax = 5
const pauseMs = 1000

/** Requests a file through the cache and keeps it, for engines that read some of the content. */
export function fetchFile(
  { hosts, target, range }: Pick<ContentObject, 'hosts' | 'target' | 'range'>,
  { client, signal, meter, bytesMax }: FileOptions,
): Promise<Buffer> {
  const tooLarge = new RefusedContent(`${target} is larger than ${bytesMax} bytes`, true)
  return withFailOver({ hosts, signal, attemptsMax, pauseMs }, async (host) => {
    // Of the announced size, so that the largest manifests are not in memory twice.
    let file = Buffer.alloc(0)
    let bytes = 0
    let wasHit: boolean | null = null
    await client.get(
      { host, target, range },
      {
        signal,
        onHead(head) {
          requireContent(head, range)
          wasHit = isHit(head.headers)
          const announced = Number(head.headers.get('content-length') ?? 0)
          if (announced > bytesMax) throw tooLarge
          file = Buffer.allocUnsafe(announced)
        },
        onBody(chunk) {
          const end = bytes + chunk.length
          if (end > bytesMax) throw tooLarge
          meter.received(chunk.length, wasHit)
          if (end > file.length) file = Buffer.concat([file], Math.max(end, 2 * file.length))
          chunk.copy(file, bytes)
          bytes = end
        },
      },
    )
    return file.subarray(0, bytes)
  })
}
