import type { Socket } from 'bun'
import type { ServerAddress } from '../../../core/lib/cache-network.ts'
import { orAborted } from '../../../core/lib/pause.ts'
import { orLate } from '../../../core/lib/within.ts'
import { ResponseParser, type ResponseHead } from './response-parser.ts'

export interface Exchange {
  /** Request line and headers, as they are sent. */
  text: string
  /** Throws to end the exchange before the body. */
  onHead: (head: ResponseHead) => void
  /**
   * The bytes are valid only during the call. Null: read on; otherwise reading pauses until it
   * resolves. Throws to end the exchange.
   */
  onBody: (bytes: Buffer) => Promise<void> | null
  /** Longest time without a byte, except while reading pauses. */
  idleMs: number
  signal: AbortSignal
}

/** Of the causes only this one is not in the cache's own answers. */
const closedText = 'the connection was closed, as nginx does when its disk is full'

/** The server closed a kept connection before it answered the next request on it. */
export class StaleConnection extends Error {}

/** Nothing came for the longest time that a request may be silent. */
export class SilentConnection extends Error {}

/** A connection for one request at a time. */
export interface Connection {
  /** False: closed, or left in the middle of a response. */
  readonly isUsable: boolean
  /** Resolves after the last byte. Rejects with StaleConnection, or with why it ended early. */
  exchange(exchange: Exchange): Promise<ResponseHead>
  close(): void
}

const connectMs = 10_000

interface Listener {
  data(chunk: Buffer): void
  closed(): void
}

/** Calls `fail` when nothing was touched for this time, unless it is paused. */
function watchIdle(idleMs: number, isPaused: () => boolean, fail: (reason: Error) => void) {
  let lastMs = performance.now()
  const timer = setInterval(() => {
    if (isPaused() || performance.now() - lastMs < idleMs) return
    fail(new SilentConnection(`nothing came for ${Math.round(idleMs / 1000)} s`))
  }, idleMs / 4)
  return {
    touch: () => void (lastMs = performance.now()),
    stop: () => clearInterval(timer),
  }
}

/** Runs one exchange; `listen` receives what happens on the socket, or null when it is over. */
function run(
  { text, onHead, onBody, idleMs, signal }: Exchange,
  socket: Socket,
  listen: (listener: Listener | null) => void,
): Promise<ResponseHead> {
  const { promise, resolve, reject } = Promise.withResolvers<ResponseHead>()
  const waits: Promise<void>[] = []
  const parser = new ResponseParser({
    onHead,
    onBody(bytes) {
      const wait = onBody(bytes)
      if (wait !== null) waits.push(wait)
    },
  })
  let isPaused = false
  let isClosed = false
  const abort = () => fail(signal.reason)
  const idle = watchIdle(idleMs, () => isPaused, fail)

  function end(): void {
    idle.stop()
    signal.removeEventListener('abort', abort)
    listen(null)
  }
  function fail(reason: unknown): void {
    end()
    socket.terminate()
    reject(reason)
  }
  function settle(): void {
    try {
      if (isClosed) parser.end()
      if (!parser.isDone || parser.head === null) return
      end()
      resolve(parser.head)
    } catch (error) {
      const isStale = parser.head === null
      fail(isStale ? new StaleConnection(closedText, { cause: error }) : error)
    }
  }
  async function pauseReading(): Promise<void> {
    isPaused = true
    socket.pause()
    while (waits.length > 0) await Promise.all(waits.splice(0))
    isPaused = false
    idle.touch()
    socket.resume()
    settle()
  }

  listen({
    data(chunk) {
      idle.touch()
      try {
        parser.read(chunk)
      } catch (error) {
        return fail(error)
      }
      if (isPaused) return
      if (waits.length > 0) void pauseReading()
      else settle()
    },
    closed() {
      isClosed = true
      if (!isPaused) settle()
    },
  })
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort)
  if (socket.write(text) < text.length) fail(new StaleConnection('the request was not sent'))
  return promise
}

/**
 * Frees the memory of a chunk that nobody needs any more. Left to the garbage collector, chunks pile
 * up by the hundred megabytes, and its passes halve the speed of a process with a larger heap.
 */
function release({ buffer, length }: Buffer): void {
  const isItsOwn = buffer instanceof ArrayBuffer && buffer.byteLength === length
  if (isItsOwn) buffer.transfer(0)
}

/** The socket when it is connected. A late one is closed. Rejects after a time, or on an abort. */
async function connected(
  connecting: Promise<Socket>,
  { host, port }: ServerAddress,
  signal: AbortSignal,
): Promise<Socket> {
  try {
    const socket = await orAborted(orLate(connecting, connectMs, null), signal)
    if (socket !== null) return socket
    throw new Error(`${host}:${port} did not accept a connection for ${connectMs / 1000} s`)
  } catch (error) {
    void connecting.then((late) => late.terminate()).catch(() => {})
    throw error
  }
}

/** Rejects when the server cannot be reached, or with the signal's reason. */
export async function connect(address: ServerAddress, signal: AbortSignal): Promise<Connection> {
  signal.throwIfAborted()
  let listener: Listener | null = null
  let isUsable = true
  const connecting = Bun.connect({
    hostname: address.host,
    port: address.port,
    socket: {
      data(socket, chunk) {
        // Nothing was asked: what comes belongs to no request.
        if (listener === null) socket.terminate()
        else listener.data(chunk)
        release(chunk)
      },
      close() {
        isUsable = false
        listener?.closed()
      },
      error() {
        // `close` follows.
      },
    },
  })
  const socket = await connected(connecting, address, signal)
  return {
    get isUsable() {
      return isUsable
    },
    async exchange(exchange) {
      isUsable = false
      const head = await run(exchange, socket, (next) => (listener = next))
      isUsable = head.isKeptOpen && socket.readyState > 0
      return head
    },
    close() {
      isUsable = false
      socket.terminate()
    },
  }
}
