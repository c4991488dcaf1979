import type { Caller } from '../caller.ts'
import type { PayloadOf } from './payloads.ts'
import type { SessionEnd } from './session-ends.ts'

/**
 * Who receives an event: `everyone` (every session, guests too), `accounts` (account holders), or
 * one session by id. Challenges, addresses and account names never go to `everyone`.
 */
export type Audience = 'everyone' | 'accounts' | { sessionId: string; alsoAccounts?: boolean }

export interface Hub {
  /** Sends `{event, data}`; the audience follows from the catalogue in `events.ts` unless given. */
  publish<E extends string>(event: E, data: PayloadOf<E>, audience?: Audience): void
  /** Closes the sockets of a session that ended. */
  disconnect(sessionId: string, end: SessionEnd): void
  connectionCount(): number
}

/** What a socket knows about its session; fixed when it connects. */
export interface Listener {
  caller: Caller
  /** Reads when the session ends; null once it is over. Absent: the socket may stay for ever. */
  expiresAt?: () => Date | null
}

/** One connected client, as the hub drives it. Byte counts are what waits in our own memory. */
export interface LiveSocket {
  /** Zero: the frame was dropped. */
  send(text: string): number
  bufferedBytes(): number
  close(code: number, reason: string): void
  terminate(): void
}

/** What a socket's route tells the hub about it. */
export interface LiveConnection {
  /** A frame from the client, already parsed where it was JSON. */
  receive(message: unknown): void
  /** The client has taken what waited for it. */
  drained(): void
  closed(): void
}

/** The hub with the side that sockets are connected to; producers see only `Hub`. */
export interface LiveHub extends Hub {
  /** False when the hub, or the share of this guest, is full. */
  hasRoom(caller: Caller): boolean
  /** Takes over an open socket. Null: it was full and the socket is closed. */
  accept(socket: LiveSocket, listener: Listener): LiveConnection | null
  /** What a new connection is told first; the guest's reduction follows from the catalogue. */
  provideSnapshot(snapshot: () => unknown): void
  /** Closes every socket, for shutdown. */
  stop(): void
}
