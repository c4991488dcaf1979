/*
 * A daemon that someone else starts is shared (`Prefill__<Platform>__Transport=tcp://…` or
 * `unix://…`): all sessions of the platform use it, and its sign-in; one of them at a time has a
 * run, and no other counts what it downloads. Ending a session leaves such a daemon and its
 * sign-in alone. Its state for the list of platforms comes from sessions that use it, or else from
 * one `status` over a connection of its own, kept for 20 seconds.
 */
import type { Clock } from '../../core/lib/clock.ts'
import { platformFacts } from '../../platforms/platforms.ts'
import type { DaemonEvent } from '../protocol/envelopes.ts'
import type {
  ConnectDaemon,
  ConnectionLost,
  RunningDaemon,
  Transport,
} from '../transports/contract.ts'
import type { DaemonStatus } from '../protocol/login.ts'
import { connectClient, type DaemonClient } from './daemon-client.ts'
import { noRuns } from './run.ts'
import { noLogin, type LiveSession } from './state.ts'

/** What is known about a session before its daemon answers. */
export type NewSession = Pick<
  LiveSession,
  | 'id'
  | 'platform'
  | 'userId'
  | 'isOwners'
  | 'isTemporary'
  | 'isPersistent'
  | 'accountId'
  | 'createdAt'
  | 'expiresAt'
  | 'ipAddress'
  | 'operatingSystem'
  | 'browser'
>

interface Parts {
  clock: Clock
  connect: ConnectDaemon
  transport: Transport
  signal: AbortSignal
  onEvent: (session: LiveSession, event: DaemonEvent) => void
  onLost: (session: LiveSession, lost: ConnectionLost) => void
}

/** A session whose daemon was only asked for its status. */
const freshSession = (
  facts: NewSession,
  daemon: RunningDaemon,
  {
    transport,
    client,
    status,
    now,
  }: { transport: Transport; client: DaemonClient; status: DaemonStatus; now: Date },
): LiveSession => ({
  ...facts,
  transport,
  daemon,
  client,
  status: 'Active',
  errorMessage: null,
  authState:
    status.isLoggedIn || !platformFacts[facts.platform].needsLogin
      ? 'Authenticated'
      : 'NotAuthenticated',
  needsRelogin: false,
  lastSeenAt: now,
  accountUsername: status.accountDisplayName,
  username: status.username,
  isLarders: status.isLarders,
  diagnostics: null,
  games: null,
  selectedAppIds: null,
  login: noLogin(),
  // A run of a shared daemon may be someone else's.
  ...noRuns(status.isPrefilling && !transport.isShared),
  isEnding: false,
})

/** Connects to a daemon and reads its status. Rejects with ConnectionLost or CommandTimeout. */
export async function attachDaemon(
  parts: Parts,
  facts: NewSession,
  daemon: RunningDaemon,
): Promise<LiveSession> {
  const { clock, transport, signal } = parts
  // Events before the session exists concern nobody.
  let session: LiveSession | null = null
  const client = await connectClient(parts.connect, daemon, {
    signal: daemon.ended === undefined ? signal : AbortSignal.any([signal, daemon.ended]),
    listeners: {
      onEvent: (event) => session !== null && parts.onEvent(session, event),
      onLost: (lost) => session !== null && parts.onLost(session, lost),
    },
  })
  try {
    const status = await client.status()
    session = freshSession(facts, daemon, { transport, client, status, now: clock.now() })
    return session
  } catch (error) {
    client.close()
    throw error
  }
}
