import type { Caller } from '../caller.ts'
import type { Holder } from '../lib/shares.ts'
import type { EventName, PayloadOf } from './events.ts'
import type { SessionEnd } from './session-ends.ts'

/**
 * Who receives an event: `everyone` (every session, including guests), `accounts` (account
 * holders), or one session by id. Challenges, addresses and account names are never sent to
 * `everyone`.
 */
export type Audience =
  'everyone' | 'accounts' | { sessionId: string; alsoAccounts?: boolean; alsoOwner?: boolean }

export interface Hub {
  /** Sends `{event, data}`; the default audience comes from the catalogue in `events.ts`. */
  publish<E extends EventName>(event: E, data: PayloadOf<E>, audience?: Audience): void
  /** Closes the sockets of a session that ended. */
  disconnect(sessionId: string, end: SessionEnd): void
  connectionCount(): number
}

/** A socket's session data; fixed when it connects. */
export interface Listener {
  caller: Caller
  /** As limits count it; null: a Unix socket. */
  address: string | null
  /** Reads when the session ends; null once it is over. Absent: no expiry. */
  expiresAt?: () => Date | null
}

/** One connected client, as the hub sees it. Byte counts are unsent bytes in our own memory. */
export interface LiveSocket {
  /** Zero: the frame was dropped. */
  send(text: string): number
  bufferedBytes(): number
  close(code: number, reason: string): void
  terminate(): void
}

/** A connected client of a hub that answers calls. */
export interface HubClient {
  readonly caller: Caller
  send(frame: object): void
}

/** Answers frames of clients. Such a hub sends no snapshot. */
export interface HubCalls {
  receive(client: HubClient, message: unknown): void
  gone(client: HubClient): void
}

/** What a socket's route reports to the hub. */
export interface LiveConnection {
  /** A frame from the client, already parsed where it was JSON. */
  receive(message: unknown): void
  /** The client has received its unsent data. */
  drained(): void
  closed(): void
}

/** The hub including its socket side; publishers see only `Hub`. */
export interface LiveHub extends Hub {
  /** False when the hub, or this guest's share of it, is full. */
  hasCapacity(holder: Holder): boolean
  /** Registers an open socket. Null: the hub was full and the socket is closed. */
  accept(socket: LiveSocket, listener: Listener): LiveConnection | null
  /** The first message to a new connection; the catalogue reduces it for guests. */
  provideSnapshot(snapshot: () => unknown): void
  /** Closes every socket, for shutdown. */
  stop(): void
}
