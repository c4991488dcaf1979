import type { Bandwidth } from './bandwidth.ts'
import type { ServerAddress } from '../../../core/lib/cache-network.ts'
import { CacheGate, type Patience } from './cache-gate.ts'
import { connect, StaleConnection, type Connection } from './connection.ts'
import { ContentFault } from './content-fault.ts'
import type { ResponseHead } from './response-parser.ts'

/** What a game client would request. */
export interface ContentRequest {
  /** Original host of the content; only named in the request, never connected to. */
  host: string
  /** Path with query. */
  target: string
  /** Both ends are included. */
  range?: { first: number; last: number } | undefined
}

export interface ContentHandlers {
  signal: AbortSignal
  /** Throws to end the request before its body. */
  onHead?: (head: ResponseHead) => void
  /** The bytes are valid only during the call. */
  onBody: (bytes: Buffer) => void
}

export interface CacheClientOptions {
  address: ServerAddress
  /** Null: none is sent. */
  userAgent: string | null
  bandwidth: Bandwidth
  /** Longest time without a byte. */
  idleMs?: number
  patience?: Partial<Patience> | undefined
}

const idleMsUsual = 60_000
const hostPattern = /^[a-z0-9]([a-z0-9._-]{0,251}[a-z0-9])?(:\d{1,5})?$/i
/** A request line contains printable ASCII without spaces. */
const targetPattern = /^\/[\u0021-\u007e]{0,8191}$/

function textOf({ host, target, range }: ContentRequest, userAgent: string | null): string {
  if (!hostPattern.test(host)) {
    throw new ContentFault('lasting', 'a content host is not a host name')
  }
  if (!targetPattern.test(target)) {
    throw new ContentFault('lasting', 'a content path cannot be requested')
  }
  const lines = [`GET ${target} HTTP/1.1`, `Host: ${host}`, 'Accept: */*']
  if (userAgent !== null) lines.push(`User-Agent: ${userAgent}`)
  if (range !== undefined) lines.push(`Range: bytes=${range.first}-${range.last}`)
  return `${lines.join('\r\n')}\r\n\r\n`
}

/** The client of one run; nothing is connected before the first request. */
export function createCacheClient(options: CacheClientOptions) {
  const { address, userAgent, bandwidth, idleMs = idleMsUsual } = options
  const kept: Connection[] = []
  let isClosed = false

  function keptConnection(): Connection | null {
    for (let next = kept.pop(); next !== undefined; next = kept.pop()) {
      if (next.isUsable) return next
    }
    return null
  }

  async function attempt(
    connection: Connection,
    text: string,
    { signal, onHead, onBody }: ContentHandlers,
  ): Promise<ResponseHead> {
    const head = await connection.exchange({
      text,
      idleMs,
      signal,
      onHead: (head) => onHead?.(head),
      onBody(bytes) {
        onBody(bytes)
        return bandwidth.take(bytes.length)
      },
    })
    if (!connection.isUsable || isClosed) connection.close()
    else kept.push(connection)
    return head
  }

  return {
    gate: new CacheGate(options.patience),
    /** Resolves after the last byte. Rejects with the signal's reason, or with what went wrong. */
    async get(request: ContentRequest, handlers: ContentHandlers) {
      const text = textOf(request, userAgent)
      handlers.signal.throwIfAborted()
      const old = keptConnection()
      if (old !== null) {
        try {
          return await attempt(old, text, handlers)
        } catch (error) {
          // Servers close kept connections at any time; a new one decides.
          if (!(error instanceof StaleConnection)) throw error
        }
      }
      return attempt(await connect(address, handlers.signal), text, handlers)
    },
    close() {
      isClosed = true
      for (const connection of kept.splice(0)) connection.close()
    },
  }
}
/** Sends every request to the cache, over kept connections. */
export type CacheClient = ReturnType<typeof createCacheClient>
