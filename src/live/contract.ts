import type { Caller } from '../http/access.ts'

/**
 * Who receives an event: `everyone` (every session, guests too), `accounts` (account holders), or
 * one session by id. Challenges, addresses and account names never go to `everyone`.
 */
export type Audience = 'everyone' | 'accounts' | { sessionId: string; alsoAccounts?: boolean }

export interface Hub {
  /** Sends `{event, data}`; the audience follows from the catalogue in `events.ts` unless given. */
  publish(event: string, data: unknown, audience?: Audience): void
  /** Closes the sockets of a session that ended. */
  disconnect(sessionId: string, reason: string): void
  connectionCount(): number
}

/** What a socket knows about its session; fixed when it connects. */
export interface Listener {
  caller: Caller
}
