import { createConnection, type Socket } from 'node:net'
import type { Clock } from '../../core/lib/clock.ts'
import type { Logger } from '../../core/lib/log.ts'
import { pause } from '../../core/lib/pause.ts'
import { commandLimitMs, timeLimitsMs } from '../protocol/commands.ts'
import { readMessage, writeRequest, type DaemonResponse } from '../protocol/envelopes.ts'
import { MessageError } from '../protocol/fields.ts'
import { encodeFrame, FrameError, FrameReader } from '../protocol/frames.ts'
import { parseWireJson } from '../protocol/wire-json.ts'
import { reasons } from '../reasons.ts'
import {
  CommandTimeout,
  ConnectionLost,
  type CommandParameters,
  type ConnectDaemon,
  type ConnectionListeners,
  type DaemonAddress,
  type DaemonConnection,
} from './contract.ts'

/** Commands of one connection that wait for their answers. */
const waitingMax = 64
/** Between two looks for a socket that does not exist yet. */
const retryMs = 100

interface Waiting {
  resolve: (answer: DaemonResponse) => void
  reject: (error: Error) => void
  cancelTimer: () => void
}

interface Parts {
  clock: Clock
  log: Logger
}

/** The daemon sent something that is no message of the protocol. */
const garbled = (cause: unknown) =>
  new ConnectionLost('frame', 'The daemon sent a frame that cannot be read', { cause })

/** One socket: frames out, answers matched with their commands, events handed on. */
class Connection implements DaemonConnection {
  readonly #socket: Socket
  readonly #parts: Parts
  readonly #listeners: ConnectionListeners
  readonly #reader = new FrameReader()
  readonly #waiting = new Map<string, Waiting>()
  #lost: ConnectionLost | null = null

  constructor(socket: Socket, parts: Parts, listeners: ConnectionListeners) {
    this.#socket = socket
    this.#parts = parts
    this.#listeners = listeners
    socket.on('data', (chunk: Buffer) => this.#receive(chunk))
    socket.on('error', () => {})
    socket.on('close', () => {
      this.#lose(new ConnectionLost('closed', reasons.connectionLost))
    })
  }

  request(type: string, parameters: CommandParameters, limitMs: number): Promise<DaemonResponse> {
    if (this.#lost !== null) return Promise.reject(this.#lost)
    if (this.#waiting.size >= waitingMax) {
      return Promise.reject(new CommandTimeout('The daemon has too many open commands'))
    }
    const id = crypto.randomUUID()
    const { promise, resolve, reject } = Promise.withResolvers<DaemonResponse>()
    const timer = setTimeout(() => {
      this.#waiting.delete(id)
      reject(new CommandTimeout(`The daemon did not answer ${type} in time`))
    }, limitMs)
    timer.unref()
    this.#waiting.set(id, { resolve, reject, cancelTimer: () => clearTimeout(timer) })
    const text = writeRequest({ id, type, parameters: { ...parameters } }, this.#parts.clock.now())
    this.#socket.write(encodeFrame(text))
    return promise
  }

  close(): void {
    this.#fail(new ConnectionLost('closed', 'The connection was closed'))
    this.#socket.destroy()
  }

  #receive(chunk: Buffer): void {
    if (this.#lost !== null) return
    try {
      for (const text of this.#reader.read(chunk)) this.#dispatch(text)
    } catch (error) {
      if (!(error instanceof FrameError) && !(error instanceof SyntaxError)) throw error
      this.#lose(garbled(error))
    }
  }

  #dispatch(text: string): void {
    const value = parseWireJson(text)
    try {
      const message = readMessage(value)
      if (message === null) this.#parts.log.debug('a daemon sent a message of an unknown kind')
      else if (message.kind === 'event') this.#listeners.onEvent(message)
      else this.#answer(message)
    } catch (error) {
      if (!(error instanceof MessageError)) throw error
      this.#parts.log.warn({ reason: error.message }, 'a message of a daemon was ignored')
    }
  }

  #answer(response: DaemonResponse): void {
    const waiting = this.#waiting.get(response.id)
    // Answers after their limit are not waited for.
    if (waiting === undefined) return
    this.#waiting.delete(response.id)
    waiting.cancelTimer()
    waiting.resolve(response)
  }

  #lose(lost: ConnectionLost): void {
    if (this.#lost !== null) return
    this.#fail(lost)
    this.#socket.destroy()
    this.#listeners.onLost(lost)
  }

  #fail(lost: ConnectionLost): void {
    this.#lost ??= lost
    for (const { reject, cancelTimer } of this.#waiting.values()) {
      cancelTimer()
      reject(lost)
    }
    this.#waiting.clear()
  }
}

/** Resolves once connected; rejects when refused or aborted. */
export function openSocket(address: DaemonAddress, signal: AbortSignal): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const socket =
    address.kind === 'unix'
      ? createConnection({ path: address.path })
      : createConnection({ host: address.host, port: address.port })
  const abort = () => socket.destroy(new Error('aborted'))
  signal.addEventListener('abort', abort, { once: true })
  socket.once('connect', () => resolve(socket))
  socket.once('error', reject)
  socket.once('close', () => reject(new Error('closed')))
  return promise.finally(() => signal.removeEventListener('abort', abort))
}

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : null

/** Why a daemon's socket could not be opened. */
export function unopened(error: unknown): 'refused' | 'denied' | 'unreachable' {
  const code = codeOf(error)
  if (code === 'EACCES' || code === 'EPERM') return 'denied'
  return code === 'ECONNREFUSED' || code === 'ENOENT' || code === 'ENOTSOCK'
    ? 'refused'
    : 'unreachable'
}

export function unreachable(cause: unknown): ConnectionLost {
  const text = unopened(cause) === 'denied' ? reasons.socketDenied : 'The daemon cannot be reached'
  return new ConnectionLost('unreachable', text, { cause })
}

/** Waits until the daemon listens. */
async function reach(
  address: DaemonAddress,
  { clock }: Parts,
  signal: AbortSignal,
): Promise<Socket> {
  const endMs = clock.elapsedMs() + timeLimitsMs.connect
  for (;;) {
    try {
      return await openSocket(address, signal)
    } catch (cause) {
      if (signal.aborted || clock.elapsedMs() >= endMs) {
        if (signal.reason instanceof ConnectionLost) throw signal.reason
        throw unreachable(cause)
      }
    }
    await pause(retryMs, signal)
  }
}

const wrongSecret = (cause?: unknown) =>
  new ConnectionLost('secret', 'The daemon refused the configured secret', { cause })

/** Sends the secret first. Some daemons close the connection on a wrong one without a word. */
async function authenticate(
  connection: Connection,
  secret: string,
  limitMs: number,
): Promise<void> {
  try {
    const answer = await connection.request('auth', { secret }, limitMs)
    if (!answer.success) throw wrongSecret()
  } catch (error) {
    connection.close()
    if (error instanceof ConnectionLost && error.reason === 'closed') throw wrongSecret(error)
    throw error
  }
}

interface Opening {
  socket: Socket
  /** Null: the daemon asks for none. */
  secret: string | null
  listeners: ConnectionListeners
  /** Longest wait for the answer to the secret. */
  limitMs: number
}

/** Authenticates. Rejects with ConnectionLost or CommandTimeout; listeners hear nothing of it. */
export async function openConnection(
  parts: Parts,
  { socket, secret, listeners, limitMs }: Opening,
): Promise<DaemonConnection> {
  let isReady = false
  const connection = new Connection(socket, parts, {
    onEvent: (event) => listeners.onEvent(event),
    onLost: (lost) => {
      if (isReady) listeners.onLost(lost)
    },
  })
  if (secret !== null) await authenticate(connection, secret, limitMs)
  isReady = true
  return connection
}

/** Connects to daemons; a wrong secret is not tried again. */
export const createConnectDaemon =
  (parts: Parts): ConnectDaemon =>
  async ({ address, secret }, listeners, signal) => {
    const limitMs = commandLimitMs('auth', 'alpha')
    for (let attempt = 0; ; attempt++) {
      try {
        const socket = await reach(address, parts, signal)
        return await openConnection(parts, { socket, secret, listeners, limitMs })
      } catch (error) {
        const pauseMs = timeLimitsMs.connectPauses[attempt]
        const isFinal = error instanceof ConnectionLost && error.reason === 'secret'
        if (isFinal || signal.aborted || pauseMs === undefined) throw error
        await pause(pauseMs, signal)
      }
    }
  }
