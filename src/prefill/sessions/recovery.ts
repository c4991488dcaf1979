/*
 * After a kill persistent daemons are found again: child processes by process id and start time,
 * with their secret from the sealed credentials; containers by their labels. A run that went on
 * meanwhile is followed again, and what it has done is recorded (`resume.ts`). A published image is
 * believed to go on with its run when it reports progress soon. All other daemons are removed. A
 * daemon in a container of its own, or of someone else, goes on when the service stops, and so do its
 * run and the operation of that. A child process ends with the service; unless the mode is
 * `killOnRestart` its persistent session starts again with the service, signed in.
 */
import { endsWithin } from '../../core/lib/within.ts'
import type { PrefillParts } from '../parts.ts'
import { platforms, type Platform } from '../../platforms/platforms.ts'
import { reasons } from '../reasons.ts'
import type { AccountSlot, AdoptedDaemon } from '../transports/contract.ts'
import { noOrigin } from './origin.ts'
import { failureText } from './refusals.ts'
import { findRun, recordedRun } from './resume.ts'
import type { Sessions } from './sessions.ts'
import type { LiveSession } from './state.ts'
import type { SessionRow } from './store.ts'

/** The whole stop of the service has 20 seconds. */
const stopMs = 10_000

/** Published images report a run every quarter of a second, and nothing while they read manifests. */
const heardMs = 15_000

export interface Persistence {
  /** What happens to a persistent session of this platform when the service restarts. */
  modeOf(platform: Platform): 'killOnRestart' | 'keepAcrossRestart' | 'fullPersistence'
  isScheduled(platform: Platform): boolean
  /** Starts a persistent session whose daemon is gone, with its sign-in. */
  recreate(slot: AccountSlot, row: SessionRow): Promise<LiveSession>
  /** When a session that was created now has to sign in again. */
  expiresAt(): Date
}

/** What becomes of sessions and daemons of earlier processes, and of ours when this one ends. */
export class Recovery {
  readonly #parts: PrefillParts
  readonly #sessions: Sessions
  readonly #persistence: Persistence
  /** Sessions whose daemons were not heard of yet. */
  readonly #silent: Promise<void>[] = []

  constructor(
    parts: PrefillParts,
    { sessions, persistence }: { sessions: Sessions; persistence: Persistence },
  ) {
    this.#parts = parts
    this.#sessions = sessions
    this.#persistence = persistence
  }

  /** Finds or removes what earlier processes left, in the background. */
  start(): void {
    void this.#recover().finally(() => this.#sessions.recovered.resolve())
  }

  async #adopt(daemon: AdoptedDaemon, row: SessionRow | null): Promise<void> {
    const { rows } = this.#sessions.stores
    const session = await this.#sessions.attach(
      {
        id: daemon.sessionId,
        platform: daemon.platform,
        accountId: daemon.accountId,
        userId: daemon.userId,
        isOwners: false,
        isTemporary: false,
        isPersistent: true,
        createdAt: row?.createdAt ?? this.#parts.clock.now(),
        expiresAt: row?.expiresAt ?? this.#persistence.expiresAt(),
        ...noOrigin,
      },
      daemon,
    )
    session.username ??= row?.username ?? null
    session.accountUsername ??= row?.accountUsername ?? null
    if (row === null) rows.insert(session)
    else rows.adopt(session)
    const { runs } = this.#sessions
    runs.hold(session)
    const found = await findRun(this.#sessions.stores, session, this.#parts.log)
    this.#sessions.add(session)
    this.#sessions.announcer.created(session)
    if (this.#mayGoOn(session)) this.#silent.push(this.#listen(session))
    else await runs.resume(session, found)
    // What someone else runs may have been started again.
    if (session.transport.isShared) await this.#sessions.logins.resume(session)
  }

  /** A published image does not say whether the run goes on that was noted. */
  #mayGoOn({ id, isLarders, platform, transport }: LiveSession): boolean {
    const isKept = this.#persistence.modeOf(platform) !== 'killOnRestart'
    const isPublished = !isLarders && !transport.isShared
    return isPublished && isKept && this.#sessions.stores.rows.openRun(id) !== null
  }

  /** The run goes on if its daemon reports it soon. */
  async #listen(session: LiveSession): Promise<void> {
    const { runs, stores } = this.#sessions
    const goesOn = await runs.isHeard(session, heardMs)
    if (!session.isEnding) await runs.resume(session, goesOn ? recordedRun(stores, session) : null)
  }

  /** Whether a persistent session whose daemon is gone is started again. */
  #isWanted(platform: Platform, row: SessionRow | null): row is SessionRow {
    if (row === null || row.status === 'Terminated') return false
    const mode = this.#persistence.modeOf(platform)
    if (mode === 'killOnRestart') return false
    // A daemon that ends with the service would otherwise never be kept.
    if (this.#parts.transports[platform].kind !== 'container') return true
    return mode === 'fullPersistence' && this.#persistence.isScheduled(platform)
  }

  /** Takes over the daemon of an account, or ends it where the mode says so. */
  async #takeOver(daemon: AdoptedDaemon): Promise<void> {
    await this.#adopt(daemon, this.#sessions.stores.rows.find(daemon.sessionId))
    const session = this.#sessions.get(daemon.sessionId)
    if (session !== null && this.#persistence.modeOf(daemon.platform) === 'killOnRestart') {
      const reason = 'Larder was restarted'
      const ending = { reason, by: 'system', isForced: false, forgetsLogin: true }
      await this.#sessions.end(session, ending)
    }
  }

  /** One account that cannot be restored does not cost the others. */
  async #attempt(platform: Platform, works: readonly (() => Promise<unknown>)[]): Promise<void> {
    for (const result of await Promise.allSettled(works.map((work) => work()))) {
      if (result.status === 'fulfilled') continue
      const reason = failureText(result.reason)
      this.#parts.log.warn({ platform, reason }, 'persistent session not restored')
    }
  }

  async #recoverPlatform(platform: Platform, orphans: SessionRow[]): Promise<void> {
    const { rows } = this.#sessions.stores
    const transport = this.#parts.transports[platform]
    const own = orphans.filter((row) => row.isPersistent && row.transport === transport.kind)
    const found = await transport.adopt(platform, own)
    const cleaned = orphans.filter((row) => !row.isPersistent && row.transport !== 'outside')
    rows.setStatus(
      cleaned.map(({ sessionId }) => sessionId),
      'Cleaned',
    )
    const slots = this.#sessions.slotsOf(platform)
    const daemons = slots.map(
      (slot) => found.find(({ accountId }) => accountId === slot.accountId) ?? null,
    )
    const ofNobody = found.filter((daemon) => !daemons.includes(daemon))
    await this.#attempt(platform, [
      ...daemons.flatMap((daemon) => (daemon === null ? [] : [() => this.#takeOver(daemon)])),
      ...ofNobody.map((daemon) => () => transport.remove(daemon, { isForced: true })),
    ])
    // A daemon that cannot be reached must not hold up the sessions of users.
    this.#sessions.noteAdopted(platform)
    const gone = slots.filter((_, index) => daemons[index] === null)
    await this.#attempt(
      platform,
      gone.map((slot) => async () => {
        const last = rows.lastPersistent(slot)
        if (this.#isWanted(platform, last)) await this.#persistence.recreate(slot, last)
      }),
    )
  }

  async #recover(): Promise<void> {
    const { rows, history } = this.#sessions.stores
    const orphans = rows.active()
    for (const { sessionId } of orphans) {
      const end = { status: 'Orphaned', reason: reasons.orphaned, by: 'system' } as const
      rows.end(sessionId, { ...end, at: this.#parts.clock.now() })
    }
    history.closeAll(reasons.interrupted)
    await Promise.all(
      platforms.map((platform) =>
        this.#recoverPlatform(
          platform,
          orphans.filter((row) => row.platform === platform),
        )
          .catch((error: unknown) => {
            const reason = failureText(error)
            this.#parts.log.warn({ platform, reason }, 'persistent session not restored')
          })
          .finally(() => this.#sessions.noteAdopted(platform)),
      ),
    )
    await Promise.allSettled(this.#silent)
  }

  /** Ends a session with the service. Persistent ones are kept where their mode says so. */
  async #stopSession(session: LiveSession): Promise<void> {
    const ending = { reason: reasons.serviceStopped, by: 'system', isForced: false }
    const mode = this.#persistence.modeOf(session.platform)
    if (!session.isPersistent || mode === 'killOnRestart') {
      return this.#sessions.end(session, { ...ending, forgetsLogin: session.isPersistent })
    }
    const { transport, isLarders } = session
    // A shared daemon of others does not say afterwards whose run it has.
    if (!transport.outlivesService || (transport.isShared && !isLarders)) {
      const outcome = { state: 'cancelled', errorMessage: ending.reason } as const
      await this.#sessions.runs.cancel(session, outcome)
    }
    this.#sessions.release(session)
  }

  /** Ends sessions and daemons, except those that outlive the service. */
  async stop(): Promise<void> {
    const stopped = this.#sessions.all().map((session) => this.#stopSession(session))
    await endsWithin(Promise.allSettled(stopped), stopMs)
    this.#sessions.stopping.abort()
    const transports = Object.values(this.#parts.transports)
    const ends = transports.map((transport) => transport.stop())
    for (const { status } of await Promise.allSettled(ends)) {
      if (status === 'rejected') this.#parts.log.warn('prefill daemons were not stopped')
    }
  }
}
