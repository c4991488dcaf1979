import type { Caller, Role } from '../../core/caller.ts'
import type { Clock } from '../../core/lib/clock.ts'
import { randomText } from '../../core/lib/secret-file.ts'
import type { Hub } from '../../core/live/contract.ts'
import type { EventName, PayloadOf } from '../../core/live/events.ts'
import type { SessionEnd } from '../../core/live/session-ends.ts'
import type { SessionRecord, SessionStore } from './store.ts'

/** Sessions of account holders do not expire. */
export const never = new Date('2099-12-31T00:00:00.000Z')
/** How long the previous token stays valid once the new one was used, for requests under way. */
const rotationGraceMs = 30_000
/** The same while the new one was not used: the response that carried it may have been lost. */
const unusedKeptMs = 30 * 24 * 3_600_000
const lastSeenStepMs = 60_000
const tokenBytes = 64
const userAgentCharsMax = 512
/** How long ended sessions stay in the list. */
const historyKeptMs = 90 * 24 * 3_600_000
/** Sessions issued between two prunings. */
const pruneEvery = 100

const hashOf = (token: string): string =>
  new Bun.CryptoHasher('sha256').update(token).digest('base64')

export interface NewSession {
  type: Role
  accountId: string | null
  expiresAt: Date
  ipAddress: string | null
  userAgent: string | null
}

export interface IssuedSession {
  id: string
  /** From here on only the browser knows it. */
  token: string
  expiresAt: Date
}

/** A session and which of its two tokens was sent. */
export interface FoundSession extends SessionRecord {
  sentHash: string
}

export interface SessionParts {
  store: SessionStore
  clock: Clock
  hub: Hub
}

/** Issues, finds, rotates and ends sessions. */
export class Sessions {
  readonly store: SessionStore
  readonly #clock: Clock
  readonly #hub: Hub

  #issued = 0

  constructor({ store, clock, hub }: SessionParts) {
    this.store = store
    this.#clock = clock
    this.#hub = hub
  }

  issue(wanted: NewSession): IssuedSession {
    const now = this.#clock.now()
    if (this.#issued++ % pruneEvery === 0) this.prune()
    const token = randomText(tokenBytes)
    const id = crypto.randomUUID()
    this.store.insert({
      id,
      type: wanted.type,
      accountId: wanted.accountId,
      tokenHash: hashOf(token),
      createdAt: now,
      lastSeenAt: now,
      expiresAt: wanted.expiresAt,
      ipAddress: wanted.ipAddress ?? 'local',
      userAgent: (wanted.userAgent ?? '').slice(0, userAgentCharsMax),
    })
    this.publishAbout(id, 'UserSessionCreated', { sessionId: id, sessionType: wanted.type })
    return { id, token, expiresAt: wanted.expiresAt }
  }

  /** Deletes sessions that ended long ago, so that the table does not grow forever. */
  prune(): void {
    this.store.deleteEndedBefore(new Date(this.#clock.now().getTime() - historyKeptMs))
  }

  /** The session of a token; null when unknown, ended, or its account may not be used. */
  find(token: string): FoundSession | null {
    const sentHash = hashOf(token)
    const found = this.store.byTokenHash(sentHash)
    if (found === null || !this.isActive(found)) return null
    const isPrevious = found.tokenHash !== sentHash
    return isPrevious && this.#previousMs(found) <= 0 ? null : { ...found, sentHash }
  }

  isActive(found: SessionRecord): boolean {
    if (found.revokedAt !== null || found.expiresAt <= this.#clock.now()) return false
    if (found.accountId === null) return true
    return found.account !== null && !found.account.isDisabled
  }

  /** How long the previous token is still valid. */
  #previousMs({ previousEndsAt }: SessionRecord): number {
    return (previousEndsAt?.getTime() ?? 0) - this.#clock.now().getTime()
  }

  /**
   * Rotates the token; null within a grace period, because concurrent requests carry the old one.
   * The token that was sent stays valid, as it is the one that the browser certainly has.
   */
  rotate(found: FoundSession): string | null {
    const leftMs = this.#previousMs(found)
    if (leftMs > unusedKeptMs - rotationGraceMs) return null
    if (leftMs > 0 && leftMs <= rotationGraceMs) return null
    const token = randomText(tokenBytes)
    this.store.update(found.id, {
      tokenHash: hashOf(token),
      previousTokenHash: found.sentHash,
      previousEndsAt: this.#inMs(unusedKeptMs),
    })
    return token
  }

  /** Ends the previous token when the new one is used for the first time. */
  noteUsed(found: FoundSession): void {
    if (found.sentHash !== found.tokenHash || this.#previousMs(found) <= rotationGraceMs) return
    this.store.update(found.id, { previousEndsAt: this.#inMs(rotationGraceMs) })
  }

  #inMs(ms: number): Date {
    return new Date(this.#clock.now().getTime() + ms)
  }

  /** Replaces the token; the old one is invalid immediately. */
  replaceToken(id: string): string {
    const token = randomText(tokenBytes)
    const values = { tokenHash: hashOf(token), previousTokenHash: null, previousEndsAt: null }
    this.store.update(id, values)
    return token
  }

  /** Records activity, at most once a minute. */
  noteSeen(found: SessionRecord): void {
    const now = this.#clock.now()
    // In both directions: with the clock set back, no activity would be recorded until it caught
    // up.
    if (Math.abs(now.getTime() - found.lastSeenAt.getTime()) < lastSeenStepMs) return
    this.store.update(found.id, { lastSeenAt: now })
    const lastSeenAt = now.toISOString()
    this.publishAbout(found.id, 'SessionLastSeenUpdated', { sessionId: found.id, lastSeenAt })
  }

  caller(found: SessionRecord): Caller {
    const isGuest = found.type === 'guest'
    const grants = isGuest ? this.store.grants(found.id, this.#clock.now()) : []
    return {
      kind: 'session',
      sessionId: found.id,
      role: found.type,
      accountId: found.accountId,
      isOwner: found.account?.isOwner ?? false,
      prefillGrants: grants.map(({ platform }) => platform),
    }
  }

  /** False when it had already ended or is unknown. */
  revoke(id: string, end: SessionEnd, type: Role | 'unknown' = 'unknown'): boolean {
    const ended = this.store.revoke(id, this.#clock.now())
    this.#announceEnd(ended, end, type)
    return ended.length > 0
  }

  /** Ends an account's sessions, optionally all but one. */
  revokeOfAccount(accountId: string, end: SessionEnd, exceptId: string | null = null): void {
    const ended = this.store.revokeOfAccount(accountId, this.#clock.now(), exceptId)
    this.#announceEnd(ended, end, 'unknown')
  }

  /** Ends all guest sessions; returns how many. */
  revokeGuests(): number {
    const ended = this.store.revokeGuests(this.#clock.now())
    this.#hub.publish('UserSessionsCleared', { clearedCount: ended.length, sessionType: 'guest' })
    this.#announceEnd(ended, 'guestsEnded', 'guest')
    return ended.length
  }

  /**
   * Sends an event about one session. Events about the owner's sessions reach only the owner's
   * sessions, because they are hidden from everyone else.
   */
  publishAbout<E extends EventName>(sessionId: string, event: E, data: PayloadOf<E>): void {
    const found = this.store.byId(sessionId)
    if (found?.account?.isOwner !== true || found.accountId === null) {
      this.#hub.publish(event, data)
      return
    }
    const own = this.store.activeOfAccount(found.accountId, this.#clock.now())
    for (const id of new Set([sessionId, ...own])) {
      this.#hub.publish(event, data, { sessionId: id })
    }
  }

  /** Deletes a session and everything that belongs to it. */
  delete(id: string, type: Role | 'unknown'): void {
    this.publishAbout(id, 'UserSessionDeleted', { sessionId: id, sessionType: type })
    this.store.delete(id)
    this.#hub.disconnect(id, 'deleted')
  }

  deleteAll(end: SessionEnd): void {
    const ids = this.store.deleteAll()
    this.#hub.publish('UserSessionsCleared', {
      clearedCount: ids.length,
      clearCookies: true,
      stageKey: 'signalr.userSessions.cleared',
      context: null,
      timestamp: this.#clock.now().toISOString(),
    })
    for (const id of ids) this.#hub.disconnect(id, end)
  }

  #announceEnd(ids: readonly string[], end: SessionEnd, sessionType: Role | 'unknown'): void {
    for (const sessionId of ids) {
      this.publishAbout(sessionId, 'UserSessionRevoked', { sessionId, sessionType })
      this.#hub.disconnect(sessionId, end)
    }
  }
}
