import type { PrefillParts } from '../parts.ts'
import type { Activity } from '../../core/live/activity.ts'
import type { Audience, HubClient } from '../../core/live/contract.ts'
import { platformEvent } from '../live-events.ts'
import type { PayloadOf } from '../../core/live/events.ts'
import type { GameStatus, PlatformEvent, PlatformPayload } from '../hubs/payloads.ts'
import type { PrefillProgress, Progress } from '../protocol/progress.ts'
import type { PlatformHubs } from '../hubs/contract.ts'
import type { Challenge } from '../protocol/login.ts'
import type { LiveSession } from './state.ts'
import { challengeView, progressView, sessionView } from './view.ts'

interface Parts extends Pick<PrefillParts, 'clock' | 'hub'> {
  activity: Pick<Activity, 'update'>
  hubs: PlatformHubs
}

interface SignInNews {
  isLoggedIn: boolean
  message: string | null
  /** ISO-8601; null: not known. */
  authExpiryUtc: string | null
}

/** Sees the session in lists: its user, and the accounts unless it is the owner's. */
export const audienceOf = ({ userId, isOwners }: LiveSession): Audience =>
  isOwners ? { sessionId: userId, alsoOwner: true } : { sessionId: userId, alsoAccounts: true }

/** An event as its platform names it. Every platform has the same payloads. */
function named<E extends PlatformEvent>(
  { platform }: LiveSession,
  event: E,
  data: PlatformPayload<E>,
) {
  const name = platformEvent(platform, event)
  return { name, data: data as PayloadOf<typeof name> }
}

function createSender({ hub, hubs, activity }: Omit<Parts, 'clock'>) {
  /** To everyone who may see the session. */
  function publish<E extends PlatformEvent>(
    session: LiveSession,
    event: E,
    payload: PlatformPayload<E>,
  ): void {
    const { name, data } = named(session, event, payload)
    hub.publish(name, data, audienceOf(session))
    hubs[session.platform].publish(name, data, audienceOf(session))
    activity.update()
  }

  /** To the connections that follow the session. */
  function follow<E extends PlatformEvent>(
    session: LiveSession,
    event: E,
    payload: PlatformPayload<E>,
  ): void {
    const { name, data } = named(session, event, payload)
    hubs[session.platform].toFollowers(session.id, name, data)
  }

  return { publish, follow }
}

export type Announcer = ReturnType<typeof createAnnouncer>

/** Sends the events of sessions, under the names of their platform. */
export function createAnnouncer({ clock, ...parts }: Parts) {
  const { hub, hubs } = parts
  const { publish, follow } = createSender(parts)
  const view = (session: LiveSession) => sessionView(session, clock.now())
  function account({ platform, isPersistent }: LiveSession): void {
    if (isPersistent) hub.publish('PrefillAccountsUpdated', { platform })
  }

  return {
    created(session: LiveSession) {
      publish(session, 'DaemonSessionCreated', view(session))
      account(session)
    },
    updated(session: LiveSession) {
      publish(session, 'DaemonSessionUpdated', view(session))
      account(session)
    },
    terminated(session: LiveSession, reason: string) {
      publish(session, 'DaemonSessionTerminated', { sessionId: session.id, reason })
      follow(session, 'SessionEnded', { sessionId: session.id, reason })
      hubs[session.platform].forget(session.id)
      account(session)
    },
    authState: (session: LiveSession) =>
      publish(session, 'AuthStateChanged', {
        sessionId: session.id,
        authState: session.authState,
      }),
    /** Only to the session's user and to those who follow it. */
    challenge(session: LiveSession, challenge: Challenge) {
      const { name, data } = named(session, 'CredentialChallenge', {
        sessionId: session.id,
        challenge: challengeView(session, challenge),
      })
      hub.publish(name, data, { sessionId: session.userId })
      hubs[session.platform].toFollowers(session.id, name, data, session.userId)
    },
    /** What the daemon said of its sign-in; a failed one has the reason as its message. */
    status: (session: LiveSession, { isLoggedIn, message, authExpiryUtc }: SignInNews) =>
      follow(session, 'StatusChanged', {
        sessionId: session.id,
        status: {
          type: 'status-update',
          status: isLoggedIn ? 'logged-in' : 'awaiting-login',
          message,
          timestamp: clock.now().toISOString(),
          displayName: session.accountUsername ?? session.username,
          authExpiryUtc,
          accountDisplayName: session.accountUsername,
        },
      }),
    runState: (
      session: LiveSession,
      change: Omit<PlatformPayload<'PrefillStateChanged'>, 'sessionId'>,
    ) => publish(session, 'PrefillStateChanged', { sessionId: session.id, ...change }),
    progress: (session: LiveSession, progress: Progress) =>
      follow(session, 'PrefillProgress', {
        sessionId: session.id,
        progress: progressView(progress),
      }),
    /** The last progress, for a connection that follows from now on. */
    replay(session: LiveSession, client: HubClient, progress: PrefillProgress) {
      const payload = { sessionId: session.id, progress }
      const { name, data } = named(session, 'PrefillProgress', payload)
      client.send({ event: name, data })
    },
    history(session: LiveSession, appId: string, status: GameStatus) {
      const payload = { sessionId: session.id, appId, status }
      const { name, data } = named(session, 'PrefillHistoryUpdated', payload)
      hub.publish(name, data, audienceOf(session))
    },
  }
}
