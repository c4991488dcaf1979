import type net from 'node:net'
import type { Clock } from '../../core/lib/clock.ts'
import type { Logger } from '../../core/lib/log.ts'
import {
  writeResponse,
  type DaemonRequest,
  type ResponseContent,
  readRequest,
  unknownId,
  unreadableId,
} from '../protocol/envelopes.ts'
import { encodeFrame, FrameError, FrameReader, frameBytesMax } from '../protocol/frames.ts'
import { readId } from '../protocol/fields.ts'
import { parseWireJson } from '../protocol/wire-json.ts'
import { errorText } from '../../core/lib/error-text.ts'

/** A request, or the id and the error of the answer to one that cannot be read. */
type ReadOutcome = { request: DaemonRequest } | { request: null; id: string; error: string }

function readRequestText(text: string): ReadOutcome {
  let value: unknown
  try {
    value = parseWireJson(text)
  } catch {
    return { request: null, id: unreadableId, error: 'The request is not JSON' }
  }
  if (value === null) return { request: null, id: unknownId, error: 'The request is null' }
  try {
    return { request: readRequest(value) }
  } catch (error) {
    const id = readId((value as { id?: unknown }).id) ?? unreadableId
    return { request: null, id, error: errorText(error) }
  }
}

/** Before the secret was given nothing but `auth` is read. */
const strangerFrameBytesMax = 4096
const strangerMs = 10_000
/** Commands of one client that are not answered yet. */
const pendingMax = 64
/** A client that does not read what it is sent is cut off. */
const unsentBytesMax = 2 * frameBytesMax

export interface ClientParts {
  /** Why the first request of a client is refused, or null. Null instead: no secret is needed. */
  refusalOf: ((request: DaemonRequest) => string | null) | null
  /** Answers a command; `signal` aborts when the client is gone. Never rejects. */
  handle: (request: DaemonRequest, signal: AbortSignal) => Promise<ResponseContent>
  onClose: () => void
  clock: Clock
  log: Logger
}

/** One connection to this daemon. */
export interface Client {
  /** It may give commands and receives events. */
  readonly isAdmitted: boolean
  /** Sends a message. */
  send(text: string): void
  close(): void
}

function responseText(id: string, content: ResponseContent, now: Date): string {
  const text = writeResponse(id, content, now)
  if (Buffer.byteLength(text) <= frameBytesMax) return text
  return writeResponse(id, { success: false, error: 'The answer is too long' }, now)
}

export function serveClient(socket: net.Socket, parts: ClientParts): Client {
  const { refusalOf, handle, onClose, clock, log } = parts
  const reader = new FrameReader(refusalOf === null ? frameBytesMax : strangerFrameBytesMax)
  const gone = new AbortController()
  let isAdmitted = refusalOf === null
  let pending = 0
  const late = setTimeout(() => isAdmitted || socket.destroy(), strangerMs)

  function send(text: string): void {
    if (socket.destroyed) return
    socket.write(encodeFrame(text))
    if (socket.writableLength <= unsentBytesMax) return
    log.warn('a client does not read what it is sent; its connection is closed')
    socket.destroy()
  }

  const respond = (id: string, content: ResponseContent) =>
    send(responseText(id, content, clock.now()))

  function admit(request: DaemonRequest): void {
    const error = refusalOf?.(request) ?? null
    if (error === null) {
      isAdmitted = true
      reader.bytesMax = frameBytesMax
      return respond(request.id, { success: true, message: 'Authenticated' })
    }
    log.warn({ reason: error }, 'a client was refused')
    respond(request.id, { success: false, error })
    socket.end()
  }

  async function answer(text: string): Promise<void> {
    const read = readRequestText(text)
    if (read.request === null) return respond(read.id, { success: false, error: read.error })
    const { request } = read
    if (!isAdmitted) return admit(request)
    if (pending >= pendingMax) {
      return respond(request.id, { success: false, error: 'Too many open commands' })
    }
    pending++
    const content = await handle(request, gone.signal)
    pending--
    respond(request.id, content)
  }

  socket.on('data', (chunk) => {
    try {
      for (const text of reader.read(chunk as Buffer)) {
        void answer(text)
        if (socket.destroyed || socket.writableEnded) return
      }
    } catch (error) {
      if (!(error instanceof FrameError)) throw error
      log.warn({ reason: error.message }, 'a client does not speak the protocol')
      socket.destroy()
    }
  })
  socket.on('error', () => socket.destroy())
  socket.on('close', () => {
    clearTimeout(late)
    isAdmitted = false
    gone.abort(new Error('the client is gone'))
    onClose()
  })
  return {
    get isAdmitted() {
      return isAdmitted
    },
    send,
    close: () => socket.end(() => socket.destroy()),
  }
}
