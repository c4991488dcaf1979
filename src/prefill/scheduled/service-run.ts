import type { PrefillParts } from '../parts.ts'
import type { DataCapUse } from '../../core/lib/data-cap.ts'
import type { Phrase } from '../../core/lib/phrases.ts'
import type { ScheduledService } from './stored.ts'
import { platformFacts } from '../../platforms/platforms.ts'
import type { RunRequest } from '../sessions/model.ts'
import { failureText } from '../sessions/refusals.ts'
import type { SessionFeatures } from '../sessions/service.ts'
import { silentSeconds, type Run } from '../sessions/run.ts'
import type { LiveSession } from '../sessions/state.ts'
import type { AccountSlot } from '../transports/contract.ts'
import type { RunLimits } from './config.ts'
import { outcome, type OutcomeKey } from './outcomes.ts'
import type { Schedule } from './store.ts'
import { ended, progress, step, type Before, type Part, type Step } from './steps.ts'

/** How the limits and the progress of a run are checked. */
const checkMs = 1000

type Parts = Pick<PrefillParts, 'clock' | 'log' | 'timers' | 'transports' | 'readDataCap'> &
  SessionFeatures

export interface ServiceRun {
  schedule: Schedule
  /** All its runs prefill the same, so that it goes on with one that an earlier process started. */
  isRepeated?: boolean
  limits: RunLimits
  signal: AbortSignal
  report: (step: Step) => void
}

/** A run that an earlier process started, and its session. */
export interface TakenUp {
  session: LiveSession
  run: Run
}

const requestOf = (config: ScheduledService): RunRequest => {
  const isSelection = config.selectedAppIds.length > 0
  const systems = config.operatingSystems.map((name) => name.toLowerCase())
  return {
    all: !isSelection && config.preset === 'All',
    recent: !isSelection && config.preset === 'Recent',
    recentlyPurchased: false,
    top: !isSelection && config.preset === 'Top' ? config.topCount : null,
    force: config.force,
    operatingSystems: systems.length === 0 ? null : systems,
    maxConcurrency: config.maxConcurrency.mode === 'Fixed' ? config.maxConcurrency.value : null,
    cache: config.cache ?? null,
  }
}

/** Null: prefill may use the line. */
function capOutcome(use: DataCapUse | null): Phrase<OutcomeKey> | null {
  if (use === null || !use.isReached) return null
  const percent = Math.floor((100 * use.usedBytes) / use.capBytes)
  return outcome('dataCap', { percent })
}

/** What one account prefills; without ids what the preset means for it. */
interface Share {
  session: LiveSession
  appIds: readonly string[]
}

/**
 * Prefills as a schedule says, with the persistent sessions of the platform's accounts, one after
 * the other. A chosen game goes to the first account that owns it; a preset is run with each.
 */
export class ServiceRunner {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** The schedule's run that has outlived a process which was killed; it may have ended since. */
  #takenUp(session: LiveSession, { schedule, isRepeated }: ServiceRun): Run | null {
    const run = this.#parts.sessions.runs.takenUp.get(session)
    return isRepeated === true && run?.schedule?.id === schedule.id ? run : null
  }

  /** The session of an account if it can prefill now, or why it cannot. */
  async #ready(
    { platform, accountId }: AccountSlot,
    { run, reached }: { run: ServiceRun; reached: Phrase<OutcomeKey> | null },
  ): Promise<LiveSession | Step> {
    const { sessions } = this.#parts
    const { title, needsLogin } = platformFacts[platform]
    const session = sessions.persistentOf(platform, accountId)
    if (session !== null && this.#takenUp(session, run) !== null) return session
    if (reached !== null) return step('skipped', reached)
    if (session?.status !== 'Active') {
      const missing = outcome('noSession', { platform: title })
      const start = needsLogin ? 'Start it and sign in' : 'Start it'
      const needsLoginReason = `${missing.text}. ${start} before scheduling.`
      return step(needsLogin ? 'needs-login' : 'skipped', missing, { needsLoginReason })
    }
    const isIn = await session.client.status().then(
      ({ isLoggedIn }) => isLoggedIn,
      () => false,
    )
    if (!isIn && needsLogin) {
      return step('needs-login', outcome('notSignedIn', { platform: title }), {
        needsLoginReason: `Sign in to ${title} first.`,
      })
    }
    if (!isIn) {
      const needsLoginReason = `${title} needs no sign-in; it is tried again at the next run.`
      return step('skipped', outcome('notReady', { platform: title }), { needsLoginReason })
    }
    const isOther = (one: LiveSession) => one.platform === platform && !one.isPersistent
    if (sessions.all().some((one) => isOther(one) && one.status === 'Active')) {
      return step('skipped', outcome('manualSession'))
    }
    return session.run === null ? session : step('skipped', outcome('busy'))
  }

  /** Which account prefills which of the chosen games; what nobody owns, the first one refuses. */
  async #shares(ready: readonly LiveSession[], appIds: readonly string[]): Promise<Share[]> {
    const [first] = ready
    if (appIds.length === 0 || ready.length < 2 || first === undefined) {
      return ready.map((session) => ({ session, appIds }))
    }
    const owned = await Promise.all(ready.map((session) => this.#owned(session)))
    const ownerOf = (appId: string) => ready.find((_, at) => owned[at]?.has(appId)) ?? first
    const byOwner = Map.groupBy(appIds, ownerOf)
    return ready.flatMap((session) => {
      const own = byOwner.get(session)
      return own === undefined ? [] : [{ session, appIds: own }]
    })
  }

  /** An account whose games cannot be listed gets those that no other one owns, if it is the first. */
  async #owned(session: LiveSession): Promise<ReadonlySet<string>> {
    try {
      return await this.#parts.service.ownedIds(session)
    } catch (error) {
      const reason = failureText(error)
      this.#parts.log.warn({ sessionId: session.id, reason }, 'the games of an account are unknown')
      return new Set()
    }
  }

  /** Reports the progress until the run ends, and cancels it when it exceeds a limit. */
  #watch(
    session: LiveSession,
    { schedule, limits, report }: ServiceRun,
    at: { before: Before; startedMs: number },
  ) {
    const { clock, timers, sessions } = this.#parts
    let cancelTimer = () => {}
    let exceeded: Phrase<OutcomeKey> | null = null
    const stop = (limit: Phrase<OutcomeKey>) => {
      exceeded = limit
      void sessions.runs.cancel(session, { state: 'failed', errorMessage: limit.text })
    }
    const check = (): void => {
      // The run may go on without the service.
      if (sessions.stopping.signal.aborted) return
      cancelTimer = timers.after(checkMs, check)
      if (session.isPaused) at.startedMs += checkMs
      if (clock.elapsedMs() - at.startedMs >= limits.runtimeMs) stop(outcome('overtime'))
      else if (silentSeconds(session, clock.elapsedMs()) * 1000 >= limits.stallMs) {
        stop(outcome('stalled'))
      } else {
        const now = progress(session, schedule.options, at.before)
        if (now !== null) report(now)
      }
    }
    cancelTimer = timers.after(checkMs, check)
    /** The limit that was exceeded. */
    return (): Phrase<OutcomeKey> | null => {
      cancelTimer()
      return exceeded
    }
  }

  /** Prefills with one account. */
  async #prefill(
    { session, appIds }: Share,
    run: ServiceRun,
    at: { before: Before; startedMs: number },
  ): Promise<Part> {
    const { sessions, service } = this.#parts
    const { schedule, signal } = run
    const { options, id, name } = schedule
    const none = { errorMessage: null, exceeded: null, seconds: 0, bytes: 0 }
    try {
      const going = this.#takenUp(session, run)
      sessions.runs.takenUp.delete(session)
      if (going === null && appIds.length > 0) await service.select(session, appIds)
      if (going === null && signal.aborted) return { ...none, state: 'cancelled' }
      const schedule = { id, name }
      const result =
        going === null
          ? sessions.runs.start(session, requestOf(options), { schedule, signal })
          : sessions.runs.join(session, going.ended, signal)
      run.report(step('running', 'Prefill in progress', { downloadSessionId: session.id }))
      const unwatch = this.#watch(session, run, at)
      const end = await result
      // Whoever ended one session did not cancel those of others.
      const isLost = session.isEnding && !sessions.stopping.signal.aborted && !signal.aborted
      return { ...end, ...(isLost && { state: 'failed' as const }), exceeded: unwatch() }
    } catch (error) {
      return { ...none, state: 'failed', errorMessage: failureText(error) }
    }
  }

  /** Goes on with a run of chosen games that an earlier process started. */
  async #join({ session, run: { startedMs } }: TakenUp, run: ServiceRun): Promise<Step> {
    const before: Before = { parts: 0, count: 1, games: 0, bytes: 0 }
    const part = await this.#prefill(
      { session, appIds: [] },
      { ...run, isRepeated: true },
      { before, startedMs },
    )
    return ended(run.schedule.options, [part], 0)
  }

  /** Prefills with all accounts; `taken`: goes on with this run only. */
  async run(run: ServiceRun, taken?: TakenUp): Promise<Step> {
    if (taken !== undefined) return this.#join(taken, run)
    const { clock, sessions, transports } = this.#parts
    const { platform, options } = run.schedule
    if (!(await transports[platform].isAvailable())) return step('skipped', outcome('noDaemon'))
    // A volume that is not known stops nothing.
    const reached = capOutcome(await this.#parts.readDataCap().catch(() => null))
    const slots = sessions.slotsOf(platform)
    const found = await Promise.all(slots.map((slot) => this.#ready(slot, { run, reached })))
    const ready = found.flatMap((one) => ('stage' in one ? [] : [one]))
    const [first] = ready
    const [refusal] = found.flatMap((one) => ('stage' in one ? [one] : []))
    if (first === undefined) return refusal ?? step('skipped', outcome('noDaemon'))
    const reusing = 'Reusing the persistent session'
    run.report(step('starting', reusing, { downloadSessionId: first.id }))
    const shares = await this.#shares(ready, options.selectedAppIds)
    const parts: Part[] = []
    const before: Before = { parts: 0, count: shares.length, games: 0, bytes: 0 }
    const since = ready.flatMap((session) => this.#takenUp(session, run)?.startedMs ?? [])
    const at = { before, startedMs: Math.min(clock.elapsedMs(), ...since) }
    for (const share of shares) {
      const part = await this.#prefill(share, run, at)
      parts.push(part)
      before.parts++
      before.games += share.appIds.length
      before.bytes += part.bytes
      if (part.state === 'cancelled' || part.exceeded?.key === 'overtime') break
    }
    // One that was never started is not missed.
    const used = slots.filter((slot) => sessions.stores.rows.lastPersistent(slot) !== null)
    return ended(options, parts, used.length - ready.length)
  }
}
