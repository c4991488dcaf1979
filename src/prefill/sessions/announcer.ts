import type { Clock } from '../../core/lib/clock.ts'
import type { Audience, Hub, HubClient } from '../../core/live/contract.ts'
import type { PlatformHubs } from '../hubs/contract.ts'
import { platformFacts } from '../platforms.ts'
import type { Challenge, DaemonStatus } from '../protocol/login.ts'
import type { Progress } from '../protocol/progress.ts'
import type { LiveSession } from './state.ts'
import { challengeView, progressView, sessionView } from './view.ts'

interface Parts {
  clock: Clock
  hub: Hub
  hubs: PlatformHubs
}

/** Sees the session in lists: its user, and the accounts unless it is the owner's. */
export const audienceOf = ({ userId, isOwners }: LiveSession): Audience =>
  isOwners ? { sessionId: userId, alsoOwner: true } : { sessionId: userId, alsoAccounts: true }

export type Announcer = ReturnType<typeof createAnnouncer>

/** Sends the events of sessions, under the names of their platform. */
export function createAnnouncer({ clock, hub, hubs }: Parts) {
  const nameOf = (session: LiveSession, event: string) =>
    `${platformFacts[session.platform].eventPrefix}${event}`

  /** To everyone who may see the session. */
  function publish(session: LiveSession, event: string, data: object): void {
    const name = nameOf(session, event)
    const payload = { sessionId: session.id, ...data }
    hub.publish(name, payload, audienceOf(session))
    hubs[session.platform].publish(name, payload, audienceOf(session))
  }

  /** To the connections that follow the session. */
  const follow = (session: LiveSession, event: string, data: object) =>
    hubs[session.platform].toFollowers(session.id, nameOf(session, event), {
      sessionId: session.id,
      ...data,
    })

  function whole(session: LiveSession, event: string): void {
    const name = nameOf(session, event)
    const data = sessionView(session, clock.now())
    hub.publish(name, data, audienceOf(session))
    hubs[session.platform].publish(name, data, audienceOf(session))
  }

  return {
    created: (session: LiveSession) => whole(session, 'DaemonSessionCreated'),
    updated: (session: LiveSession) => whole(session, 'DaemonSessionUpdated'),
    terminated(session: LiveSession, reason: string) {
      publish(session, 'DaemonSessionTerminated', { reason })
      follow(session, 'SessionEnded', { reason })
      hubs[session.platform].forget(session.id)
    },
    authState: (session: LiveSession) =>
      publish(session, 'AuthStateChanged', { authState: session.authState }),
    /** Only to the session's user and to those who follow it. */
    challenge(session: LiveSession, challenge: Challenge) {
      const name = nameOf(session, 'CredentialChallenge')
      const data = { sessionId: session.id, challenge: challengeView(session, challenge) }
      hub.publish(name, data, { sessionId: session.userId })
      hubs[session.platform].toFollowers(session.id, name, data, session.userId)
    },
    status: (session: LiveSession, status: DaemonStatus) =>
      follow(session, 'StatusChanged', {
        status: {
          type: 'status-update',
          status: status.isLoggedIn ? 'logged-in' : 'awaiting-login',
          message: null,
          timestamp: clock.now().toISOString(),
          displayName: status.accountDisplayName ?? status.username,
          authExpiryUtc: status.authExpiryUtc,
          accountDisplayName: status.accountDisplayName,
        },
      }),
    runState: (session: LiveSession, state: string, durationSeconds: number | null) =>
      publish(session, 'PrefillStateChanged', { state, durationSeconds }),
    progress: (session: LiveSession, progress: Progress) =>
      follow(session, 'PrefillProgress', { progress: progressView(progress) }),
    /** The last progress, for a connection that follows from now on. */
    replay: (session: LiveSession, client: HubClient, progress: object) =>
      client.send({
        event: nameOf(session, 'PrefillProgress'),
        data: { sessionId: session.id, progress },
      }),
    history(session: LiveSession, appId: string, status: string) {
      const data = { sessionId: session.id, appId, status }
      hub.publish(nameOf(session, 'PrefillHistoryUpdated'), data, audienceOf(session))
    },
  }
}
