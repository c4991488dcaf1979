import type { Caller } from '../../core/caller.ts'
import { AppError, orNotFound } from '../../core/http/errors.ts'
import { within } from '../../core/lib/within.ts'
import type { PrefillParts } from '../parts.ts'
import { platformFacts, platformOf, platforms, type Platform } from '../../platforms/platforms.ts'
import { reasons } from '../reasons.ts'
import { accountKey, type AccountSlot, type LoginRemoval } from '../transports/contract.ts'
import { noOrigin } from '../sessions/origin.ts'
import type { ScheduleStore } from '../scheduled/store.ts'
import type { Persistence } from '../sessions/recovery.ts'
import { newSessionId, systemUserId, type Sessions } from '../sessions/sessions.ts'
import type { LiveSession } from '../sessions/state.ts'
import type { ClearedLogin, PersistentSession } from './model.ts'
import { storedLogin } from './stored-logins.ts'

const dayMs = 86_400_000
/** A daemon that does not tell its status in this time is shown as it was last known. */
const statusMs = 3000

/** Throws AppError `invalid`. */
export function requirePlatform(service: string | number | undefined): Platform {
  const platform = platformOf(String(service ?? ''))
  if (platform === null) throw new AppError('invalid', 'service is not a platform')
  return platform
}

/** Persistent sessions: one per account of a platform, open to all users and used by schedules. */
export class Persistent implements Persistence {
  readonly #parts: PrefillParts
  readonly #sessions: Sessions
  readonly #schedules: Pick<ScheduleStore, 'list'>
  readonly #starting = new Map<string, Promise<LiveSession>>()

  constructor(
    parts: PrefillParts,
    { sessions, store }: { sessions: Sessions; store: Pick<ScheduleStore, 'list'> },
  ) {
    this.#parts = parts
    this.#sessions = sessions
    this.#schedules = store
  }

  modeOf(platform: Platform) {
    const config = this.#parts.settings.get('prefill.schedule')
    return config[platform].persistenceMode ?? config.persistenceMode
  }

  isScheduled(platform: Platform): boolean {
    const own = this.#schedules.list().filter((schedule) => schedule.platform === platform)
    return own.some(({ options }) => options.enabled)
  }

  expiresAt(): Date {
    const days = this.#parts.settings.get('prefill.validityDays')
    return new Date(this.#parts.clock.now().getTime() + days * dayMs)
  }

  /** Changes the days until sessions have to sign in again, also of running ones. */
  setValidity(days: number): void {
    this.#parts.settings.set('prefill.validityDays', days)
    for (const session of this.#all()) {
      session.expiresAt = new Date(session.createdAt.getTime() + days * dayMs)
      if (session.expiresAt > this.#parts.clock.now()) session.needsRelogin = false
      this.#sessions.stores.rows.update(session)
      this.#sessions.announcer.updated(session)
    }
  }

  #all(): LiveSession[] {
    return this.#sessions.all().filter(({ isPersistent }) => isPersistent)
  }

  /** Those that the documented API knows. */
  #firsts(): LiveSession[] {
    return this.#all().filter(({ accountId }) => accountId === null)
  }

  /**
   * The session of an account. Throws AppError `notFound` without one, `conflict` when it is not
   * the one that the caller means.
   */
  current({ platform, accountId }: AccountSlot, sessionId: string | null | undefined): LiveSession {
    const session = this.#sessions.persistentOf(platform, accountId)
    const { name } = platformFacts[platform]
    if (session === null) {
      throw new AppError('notFound', `No running persistent session for service '${name}'`, {
        extra: { state: 'notStarted' },
      })
    }
    if (session.status !== 'Active') {
      throw new AppError('notFound', session.errorMessage ?? 'The session has failed', {
        extra: { state: 'errored' },
      })
    }
    if (sessionId !== null && sessionId !== undefined && sessionId !== session.id) {
      throw new AppError('conflict', 'session_replaced', { extra: { state: 'active' } })
    }
    return session
  }

  /** The active session of an account, started if there is none. Throws AppError. */
  start(slot: AccountSlot): Promise<LiveSession> {
    return this.#starting.get(accountKey(slot)) ?? this.#begin(slot, () => this.#start(slot))
  }

  /** Everyone who starts a session of this account meanwhile gets the same one. */
  #begin(slot: AccountSlot, start: () => Promise<LiveSession>): Promise<LiveSession> {
    const started = start().finally(() => this.#starting.delete(accountKey(slot)))
    this.#starting.set(accountKey(slot), started)
    return started
  }

  async #start(slot: AccountSlot): Promise<LiveSession> {
    const { platform } = slot
    await this.#sessions.whenAdopted(platform)
    const known = this.#sessions.persistentOf(platform, slot.accountId)
    if (known?.status === 'Active') return known
    const { needsLogin } = platformFacts[platform]
    const keepsLogin = !needsLogin || known !== null || this.modeOf(platform) === 'fullPersistence'
    if (known !== null) {
      await this.#sessions.end(known, { reason: reasons.replaced, by: 'system', isForced: true })
    }
    // A sign-in that an earlier daemon left behind is not taken up without being asked for.
    if (!keepsLogin) await this.#parts.transports[platform].removeLogin(slot)
    return this.#open(slot, { keepsLogin, expiresAt: this.expiresAt() })
  }

  /** Starts a session whose daemon ended with the last process, with its sign-in. */
  recreate(slot: AccountSlot, { expiresAt }: { expiresAt: Date }): Promise<LiveSession> {
    const isValid = expiresAt > this.#parts.clock.now()
    const validUntil = isValid ? expiresAt : this.expiresAt()
    return this.#begin(slot, () => this.#open(slot, { keepsLogin: true, expiresAt: validUntil }))
  }

  async #open(
    { platform, accountId }: AccountSlot,
    { keepsLogin, expiresAt }: { keepsLogin: boolean; expiresAt: Date },
  ): Promise<LiveSession> {
    const session = await this.#sessions.open({
      id: newSessionId(),
      platform,
      userId: systemUserId,
      isOwners: false,
      isTemporary: false,
      isPersistent: true,
      accountId,
      createdAt: this.#parts.clock.now(),
      expiresAt,
      ...noOrigin,
    })
    if (keepsLogin && platformFacts[platform].needsLogin)
      await this.#sessions.logins.resume(session)
    return session
  }

  /** Throws AppError `notFound`, or `conflict` while the service stops. */
  async stop(caller: Caller, sessionId: string): Promise<void> {
    if (this.#sessions.stopping.signal.aborted) {
      throw new AppError('conflict', 'The service is stopping')
    }
    const session = this.#firsts().find(({ id }) => id === sessionId)
    await this.#erase(
      caller,
      orNotFound(session, `No persistent session found with id ${sessionId}`),
    )
  }

  /** Ends a session and its sign-in. */
  async #erase(caller: Caller | null, session: LiveSession): Promise<void> {
    const by = caller?.sessionId ?? 'system'
    const ending = { reason: reasons.stopped, by, isForced: false, forgetsLogin: true }
    await this.#sessions.end(session, ending)
  }

  /** A new session in place of one whose sign-in is no longer valid. Throws AppError. */
  async renew(caller: Caller, session: LiveSession): Promise<LiveSession> {
    await this.#erase(caller, session)
    return this.start(session)
  }

  /** Ends what an account has and deletes what it left behind. */
  async remove(caller: Caller | null, slot: AccountSlot): Promise<LoginRemoval> {
    await this.#sessions.whenAdopted(slot.platform)
    const session = this.#sessions.persistentOf(slot.platform, slot.accountId)
    if (session !== null) await this.#erase(caller, session)
    return this.#removeLogin(slot)
  }

  async view(session: LiveSession): Promise<PersistentSession> {
    const isUsable = session.status === 'Active'
    const status = isUsable ? await within(session.client.status(), statusMs, null) : null
    const nowMs = this.#parts.clock.now().getTime()
    const tokenMs = Date.parse(status?.authExpiryUtc ?? '')
    const daemonExpiresAt = Number.isNaN(tokenMs) ? null : new Date(tokenMs)
    const endMs = Math.min(session.expiresAt.getTime(), daemonExpiresAt?.getTime() ?? Infinity)
    return {
      sessionId: session.id,
      service: platformFacts[session.platform].name,
      isRunning: isUsable,
      isAuthenticated: isUsable && (status?.isLoggedIn ?? session.authState === 'Authenticated'),
      authExpiresAtUtc: new Date(endMs).toISOString(),
      createdAtUtc: session.createdAt.toISOString(),
      authTimeRemainingSeconds: Math.max(0, Math.floor((endMs - nowMs) / 1000)),
      needsRelogin: session.needsRelogin,
      daemonAuthExpiresAtUtc: daemonExpiresAt?.toISOString() ?? null,
      isPrefilling: session.run !== null,
      totalBytesTransferred: session.totalBytesTransferred,
      currentAppName: session.currentAppName,
      status: session.status,
      errorMessage: session.errorMessage,
      username: session.username ?? session.accountUsername,
      isShared: session.transport.isShared,
      storedAccount: storedLogin(this.#parts.credentials, session.platform)?.username ?? null,
    }
  }

  list(): Promise<PersistentSession[]> {
    return Promise.all(this.#firsts().map((session) => this.view(session)))
  }

  /** Signs out everywhere, and deletes stored sign-ins; what cannot sign out is removed. */
  async clearLogins(caller: Caller): Promise<ClearedLogin[]> {
    const cleared: ClearedLogin[] = []
    for (const platform of platforms) {
      const slots = this.#sessions.stores.accounts.slots(platform)
      const rows = await Promise.all(slots.map((slot) => this.#clearAccount(caller, slot)))
      // The API has one row per platform: that of its first account, unless another one failed.
      const [row] = [...rows.filter(({ success }) => !success), ...rows]
      if (row !== undefined) cleared.push(row)
    }
    return cleared
  }

  async #clearAccount(caller: Caller, slot: AccountSlot): Promise<ClearedLogin> {
    const session = this.#sessions.persistentOf(slot.platform, slot.accountId)
    const { name: service } = platformFacts[slot.platform]
    if (session === null) {
      const detail = await this.#removeLogin(slot)
      const success = detail === 'Removed' || detail === 'NotFound'
      return { service, wasRunning: false, success, detail }
    }
    const detail = await this.#clearRunning(caller, session)
    return { service, wasRunning: true, success: detail !== 'hard-remove-failed', detail }
  }

  #removeLogin(slot: AccountSlot): Promise<LoginRemoval> {
    return this.#parts.transports[slot.platform].removeLogin(slot)
  }

  async #clearRunning(caller: Caller, session: LiveSession): Promise<string> {
    const { platform, status } = session
    const canLogOut = platformFacts[platform].needsLogin && status === 'Active'
    if (canLogOut) await this.#sessions.runs.cancel(session)
    if (canLogOut && (await this.#sessions.logins.logout(session))) return 'logged-out'
    await this.#sessions.end(session, {
      reason: reasons.loginsCleared,
      by: caller.sessionId ?? 'system',
      isForced: true,
    })
    const removed = await this.#removeLogin(session)
    const isGone = removed === 'Removed' || removed === 'NotFound'
    return isGone ? 'hard-removed' : 'hard-remove-failed'
  }
}
