import type { CacheClient } from './cache-client.ts'
import type { ContentObject } from './download.ts'
import { requireContent, withFailOver } from './fail-over.ts'
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
  return withFailOver({ hosts, signal, attemptsMax, pauseMs }, async (host) => {
    const chunks: Buffer[] = []
    let bytes = 0
    let wasHit: boolean | null = null
    await client.get(
      { host, target, range },
      {
        signal,
        onHead(head) {
          requireContent(head, range)
          wasHit = isHit(head.headers)
        },
        onBody(chunk) {
          bytes += chunk.length
          if (bytes > bytesMax) throw new Error(`${target} is larger than ${bytesMax} bytes`)
          meter.received(chunk.length, wasHit)
          chunks.push(Buffer.from(chunk))
        },
      },
    )
    return Buffer.concat(chunks, bytes)
  })
}
