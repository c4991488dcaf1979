/*
 * `prefill/sessions` is the manager's side. A session owns one daemon and belongs to the session
 * of access control that created it; nobody else may use it, and other accounts do not see the
 * owner's. Guests need a grant for the platform, and lose the session with it; when an account
 * holder signs out, the session ends with its run. Persistent sessions (`prefill/persistent`), one
 * per account of a platform (`prefill/accounts`), belong to the system; schedules prefill with them.
 *
 * A daemon that is lost is not connected to again. Its session fails with the reason and is
 * replaced by the next start; a wrong secret is reported as such. Daemons that read one command at
 * a time get a second connection for commands that must not wait.
 */
import { createHash, randomBytes } from 'node:crypto'
import type { Caller } from '../../core/caller.ts'
import { AppError, unavailable } from '../../core/http/errors.ts'
import { endsWithin, within } from '../../core/lib/within.ts'
import type { PlatformHubs } from '../hubs/contract.ts'
import type { PrefillParts } from '../parts.ts'
import { platformFacts, platforms, type Platform } from '../../platforms/platforms.ts'
import type { DaemonEvent } from '../protocol/envelopes.ts'
import { readAuthState, readChallenge } from '../protocol/login.ts'
import { readProgress } from '../protocol/progress.ts'
import { reasons } from '../reasons.ts'
import type { AccountSlot, CacheAddress, RunningDaemon } from '../transports/contract.ts'
import { createAnnouncer, type Announcer } from './announcer.ts'
import { attachDaemon, type NewSession } from './attach.ts'
import { bannedText, Logins } from './logins.ts'
import { originFacts } from './origin.ts'
import { answered, failureText } from './refusals.ts'
import type { Run } from './run.ts'
import { Runs } from './runs.ts'
import type { LiveSession } from './state.ts'
import { createStores, type Stores } from './stores.ts'

/** Sessions with a daemon at one time, over all platforms. */
const liveMax = 100
const minuteMs = 60_000
const hourMs = 60 * minuteMs
/** How long the end of a session waits for its daemon to take the cancel of a run. */
const cancelMs = { graceful: 10_000, forced: 2000 }

/** A GUID of 16 bytes, whose first three groups are little-endian. */
function guidOf(bytes: Buffer): string {
  const order = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15]
  const hex = order.map((at) => bytes.subarray(at, at + 1).toString('hex')).join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** The user of persistent sessions: the same in every installation. */
export const systemUserId = guidOf(createHash('sha256').update('scheduled-prefill-system').digest())

/** 16 hex digits. */
export const newSessionId = (): string => randomBytes(8).toString('hex')

export interface Ending {
  reason: string
  /** Session of access control, or `system`. */
  by: string
  isForced: boolean
  /** Persistent sessions: signs the daemon out first. */
  forgetsLogin?: boolean
}

/** All sessions with a daemon: creates, finds and ends them. */
export class Sessions {
  readonly stores: Stores
  readonly announcer: Announcer
  readonly logins: Logins
  readonly runs: Runs
  /** Pending until everything of earlier processes was restored. */
  readonly recovered = Promise.withResolvers<void>()
  /** Aborted when the service stops. */
  readonly stopping = new AbortController()
  /** The last address of the cache that a daemon was given; null: none yet. */
  lastCache: CacheAddress | null = null
  readonly #parts: PrefillParts
  readonly #runListeners: (() => void)[] = []
  readonly #live = new Map<string, LiveSession>()
  readonly #released = new Set<LiveSession>()
  /** Pending until the platform's daemons of earlier processes were found or removed. */
  readonly #adopted = new Map(
    platforms.map((platform) => [platform, Promise.withResolvers<void>()] as const),
  )
  readonly #creating = new Map<string, Promise<LiveSession>>()

  constructor(parts: PrefillParts & { hubs: PlatformHubs }) {
    const { state, clock } = parts
    const stores = createStores(state, clock)
    const announcer = createAnnouncer(parts)
    const shared = { ...parts, ...stores, announcer }
    this.#parts = parts
    this.stores = stores
    this.announcer = announcer
    this.logins = new Logins({
      ...shared,
      isBusyElsewhere: ({ id, platform, transport }) =>
        transport.isShared &&
        this.all().some((one) => one.platform === platform && one.id !== id && one.login.isActive),
      isNameBanned: (name) => this.#isNameBanned(name),
      changed: (session) => this.#changed(session),
    })
    const sessions = () => this.#live.values()
    const runsChanged = () => {
      for (const listener of this.#runListeners) listener()
    }
    this.runs = new Runs({ ...shared, sessions, runsChanged })
  }

  /** No daemon of the platform may be started before. */
  whenAdopted(platform: Platform): Promise<void> {
    return this.#adopted.get(platform)?.promise ?? Promise.resolve()
  }

  noteAdopted(platform: Platform): void {
    this.#adopted.get(platform)?.resolve()
  }

  /** Called after a run began or ended. */
  onRuns(listener: () => void): void {
    this.#runListeners.push(listener)
  }

  all(): LiveSession[] {
    return [...this.#live.values()]
  }

  get(sessionId: string): LiveSession | null {
    return this.#live.get(sessionId) ?? null
  }

  /** The persistent session of an account; of the platform's first one unless another is named. */
  persistentOf(platform: Platform, accountId: string | null = null): LiveSession | null {
    const isOf = (one: LiveSession) => one.platform === platform && one.accountId === accountId
    return this.all().find((one) => one.isPersistent && isOf(one)) ?? null
  }

  /** Accounts that can have a session; a daemon outside has one sign-in. */
  slotsOf(platform: Platform): AccountSlot[] {
    const { isShared } = this.#parts.transports[platform]
    const slots = this.stores.accounts.slots(platform)
    return slots.filter(({ accountId }) => accountId === null || !isShared)
  }

  /** Active persistent sessions, in the order of their accounts. */
  persistentsOf(platform: Platform): LiveSession[] {
    return this.slotsOf(platform)
      .flatMap(({ accountId }) => this.persistentOf(platform, accountId) ?? [])
      .filter(({ status }) => status === 'Active')
  }

  #ofUser(userId: string, platform: Platform): LiveSession | null {
    const isOwn = (one: LiveSession) => one.userId === userId && one.platform === platform
    return this.all().find((one) => isOwn(one) && !one.isPersistent) ?? null
  }

  #isNameBanned(name: string): boolean {
    return this.stores.bans.isNameBanned(name, this.#parts.clock.now())
  }

  /** Names, state of the login or expiry have changed. */
  #changed(session: LiveSession): void {
    if (!this.#live.has(session.id)) return
    this.stores.rows.update(session)
    const names = [session.username, session.accountUsername].filter((name) => name !== null)
    const isIn = session.authState === 'Authenticated'
    // The next account has other games.
    if (!isIn) session.games = null
    if (isIn && names.some((name) => this.#isNameBanned(name))) {
      void this.end(session, { reason: reasons.banned, by: 'system', isForced: true })
    }
  }

  #handle(session: LiveSession, { type, data }: DaemonEvent): void {
    if (session.status !== 'Active') return
    if (type === 'progress') {
      const progress = readProgress(data)
      progress.currentAppName ??= session.games?.names.get(progress.currentAppId ?? '') ?? null
      return this.runs.take(session, { kind: 'progress', progress })
    }
    if (type === 'credential-challenge') {
      return this.logins.onChallenge(session, readChallenge(data))
    }
    const notice = readAuthState(data)
    this.logins.onNotice(session, notice)
    if (notice.state !== 'logged-in') return
    this.logins.refresh(session).catch((error: unknown) => {
      const reason = failureText(error)
      this.#parts.log.warn({ sessionId: session.id, reason }, 'no status of a daemon')
    })
  }

  /** The session cannot be used any more, until it is started again. */
  fail(session: LiveSession, text: string): void {
    if (session.status !== 'Active' || session.isEnding) return
    // The daemon of a guest ends by itself when the time is over.
    if (session.isTemporary && session.expiresAt <= this.#parts.clock.now()) {
      const ending = { reason: reasons.expired, by: 'system', isForced: true }
      return void this.end(session, ending)
    }
    const { id: sessionId, platform } = session
    session.status = 'Error'
    session.errorMessage = text
    this.#parts.log.warn({ sessionId, platform, reason: text }, 'prefill session failed')
    this.logins.fail(session, text)
    this.runs.take(session, { kind: 'lost', errorMessage: text })
    session.client.close()
    this.announcer.updated(session)
  }

  /** Connects to a daemon. Throws AppError. */
  attach(facts: NewSession, daemon: RunningDaemon): Promise<LiveSession> {
    const transport = this.#parts.transports[facts.platform]
    const attached = attachDaemon(
      {
        ...this.#parts,
        transport,
        signal: this.stopping.signal,
        onEvent: (session, event) => this.#handle(session, event),
        onLost: (session, lost) => this.fail(session, lost.message),
      },
      facts,
      daemon,
    )
    return answered(attached)
  }

  /** From now on the session is found and watched. */
  add(session: LiveSession): void {
    this.#live.set(session.id, session)
    const { cache } = session.daemon
    if (cache.address !== null) this.lastCache = cache
    this.stores.rows.prune(this.#parts.clock.now())
    const work = session.transport.diagnose?.(session.daemon)
    work?.then(
      (diagnostics) => {
        session.diagnostics = diagnostics
        if (this.#live.has(session.id)) this.announcer.updated(session)
      },
      (error: unknown) => {
        const reason = failureText(error)
        this.#parts.log.warn({ sessionId: session.id, reason }, 'no network diagnostics')
      },
    )
  }

  /** Starts a daemon for a session. Throws AppError. */
  async open(facts: NewSession): Promise<LiveSession> {
    if (this.#live.size >= liveMax) throw unavailable('There are too many prefill sessions')
    const transport = this.#parts.transports[facts.platform]
    const lifeMs = facts.expiresAt.getTime() - facts.createdAt.getTime()
    const spec = {
      platform: facts.platform,
      accountId: facts.accountId,
      sessionId: facts.id,
      userId: facts.userId,
      isPersistent: facts.isPersistent,
      maxLifetimeSeconds: facts.isTemporary ? Math.ceil(lifeMs / 1000) : null,
    }
    const daemon = await answered(transport.start(spec, this.stopping.signal))
    try {
      const session = await this.attach(facts, daemon)
      this.stores.rows.insert(session)
      this.add(session)
      this.announcer.created(session)
      return session
    } catch (error) {
      await this.#remove(transport, daemon, { isForced: true })
      throw error
    }
  }

  async #remove(
    transport: LiveSession['transport'],
    daemon: RunningDaemon,
    { isForced, forgetsLogin = false }: Pick<Ending, 'isForced' | 'forgetsLogin'>,
  ): Promise<void> {
    try {
      await transport.remove(daemon, { isForced })
      // Some published images sign out in memory only.
      const { needsLogin } = platformFacts[daemon.platform]
      if (forgetsLogin && needsLogin) await transport.removeLogin(daemon)
    } catch (error) {
      const reason = failureText(error)
      this.#parts.log.error({ sessionId: daemon.sessionId, reason }, 'a daemon was not removed')
    }
  }

  /** A guest's session ends with the guest's right, at the latest. */
  #expiryOf(caller: Caller, platform: Platform, userId: string): Date {
    const { clock, config, settings, users } = this.#parts
    const nowMs = clock.now().getTime()
    if (caller.role !== 'guest') return new Date(nowMs + config.prefill.sessionMinutes * minuteMs)
    const { durationHours } = settings.get(`guest.prefill.${platform}`)
    const rightMs = users.rightEndsAt(userId, platform)?.getTime() ?? nowMs
    return new Date(Math.min(nowMs + durationHours * hourMs, rightMs))
  }

  /** The active session of a user on a platform; created if there is none. Throws AppError. */
  create(caller: Caller, platform: Platform): Promise<LiveSession> {
    const userId = caller.sessionId
    if (userId === null) throw new AppError('unauthenticated')
    const key = `${platform} ${userId}`
    const known = this.#creating.get(key)
    if (known !== undefined) return known
    const created = this.#create(caller, platform, userId).finally(() => this.#creating.delete(key))
    this.#creating.set(key, created)
    return created
  }

  async #create(caller: Caller, platform: Platform, userId: string): Promise<LiveSession> {
    await this.whenAdopted(platform)
    const { clock, users } = this.#parts
    const now = clock.now()
    if (this.stores.bans.isUserBanned(userId, now)) throw new AppError('refused', bannedText)
    const known = this.#ofUser(userId, platform)
    if (known?.status === 'Active') return known
    if (known !== null)
      await this.end(known, { reason: reasons.replaced, by: userId, isForced: true })
    return this.open({
      id: newSessionId(),
      platform,
      userId,
      isOwners: caller.isOwner && caller.accountId !== null,
      isTemporary: caller.role === 'guest',
      isPersistent: false,
      accountId: null,
      createdAt: now,
      expiresAt: this.#expiryOf(caller, platform, userId),
      ...(await originFacts(users.originOf(userId))),
    })
  }

  /** Cancels the run, then ends the session and its daemon. Does not throw. */
  async end(session: LiveSession, ending: Ending): Promise<void> {
    if (session.isEnding) return
    session.isEnding = true
    const { reason, by, isForced, forgetsLogin = false } = ending
    const { client, transport, daemon } = session
    const isReachable = session.status === 'Active'
    const cancelled = this.runs.cancel(session, { state: 'cancelled', errorMessage: reason })
    const limitMs = isForced ? cancelMs.forced : cancelMs.graceful
    if (isReachable) await endsWithin(cancelled, limitMs)
    // The next session could not sign in while a shared daemon waits for the answers of this one.
    if (isReachable && transport.isShared)
      await within(this.logins.cancel(session), limitMs, undefined)
    // A shared daemon keeps the sign-in: it is not ours.
    if (isReachable && forgetsLogin && !transport.isShared) await this.logins.logout(session)
    this.logins.fail(session, reason)
    session.status = 'Terminated'
    this.#live.delete(session.id)
    const at = this.#parts.clock.now()
    this.stores.rows.end(session.id, { status: 'Terminated', reason, by, at })
    this.announcer.terminated(session, reason)
    if (isReachable && !isForced && !transport.isShared) await client.shutdown().catch(() => null)
    client.close()
    await this.#remove(transport, daemon, { isForced, forgetsLogin })
  }

  /** Lets go of a session whose daemon outlives this process; its row stays active, its run open. */
  release(session: LiveSession): void {
    session.isEnding = true
    this.#released.add(session)
    this.runs.hold(session)
    session.client.close()
  }

  /** Whether one of these runs goes on while the service is away. */
  isReleased(isIts: (run: Run, session: LiveSession) => boolean): boolean {
    return [...this.#released].some((one) => one.run !== null && isIts(one.run, one))
  }
}
