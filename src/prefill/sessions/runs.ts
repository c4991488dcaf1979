import type { PrefillParts } from '../parts.ts'
import type { Clock } from '../../core/lib/clock.ts'
import { endsWithin } from '../../core/lib/within.ts'
import { takeTurns } from '../../core/lib/pause.ts'
import type { ServerAddress } from '../../core/lib/cache-network.ts'
import { cacheOfNode } from '../cache-address/of-node.ts'
import type { NodeHosts } from '../../engines/remote/hosts.ts'
import { AppError } from '../../core/http/errors.ts'
import type { CatalogueEngine } from '../../engines/catalogue/contract.ts'
import type { Progress } from '../protocol/progress.ts'
import type { Announcer } from './announcer.ts'
import type { RunRequest } from './model.ts'
import type { DepotStore } from './depot-store.ts'
import type { HistoryStore } from './history-store.ts'
import { failureText } from './refusals.ts'
import {
  step,
  type Run,
  type RunEffect,
  type RunEvent,
  type RunOutcome,
  type RunResult,
  type RunSchedule,
} from './run.ts'
import { eventsOf, isAmong, type FoundRun } from './resume.ts'
import type { LiveSession } from './state.ts'

/** The largest id of a depot: an unsigned 32-bit number. */
const depotIdMax = 4_294_967_295

export const runningText = 'A prefill is already running'
const sharedText = 'Another session is prefilling with the same daemon'

interface Parts extends Pick<PrefillParts, 'clock' | 'timers' | 'log'> {
  announcer: Announcer
  history: HistoryStore
  depots: DepotStore
  catalogue: Pick<CatalogueEngine, 'addUses'>
  nodeHosts: NodeHosts
  /** All sessions, to keep runs of a shared daemon apart. */
  sessions: () => Iterable<LiveSession>
  /** A run began or ended. */
  runsChanged: () => void
}

/** Carries out what the state machine of run.ts decides. */
export class Runs {
  readonly #parts: Parts
  readonly #timers = new WeakMap<Run, () => void>()
  /** Cancels that the daemon has taken, or could not. */
  readonly #cancels = new WeakMap<Run, Promise<void>>()
  /** Runs that an earlier process started, until an operation shows them. */
  readonly takenUp = new WeakMap<LiveSession, Run>()
  readonly #takenUpListeners: ((session: LiveSession, run: Run) => void)[] = []
  /** Events of sessions whose run is being read; `heard`: one of them is of a run. */
  readonly #held = new Map<LiveSession, { events: RunEvent[]; heard: PromiseWithResolvers<void> }>()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Everything that happens to a run arrives here. */
  take(session: LiveSession, event: RunEvent): void {
    const { clock } = this.#parts
    const held = this.#held.get(session)
    if (held === undefined) return this.#take(session, event, clock)
    held.events.push(event)
    if (event.kind === 'progress' || event.kind === 'lost') held.heard.resolve()
  }

  #take(session: LiveSession, event: RunEvent, clock: Clock): void {
    for (const effect of step(session, event, clock)) this.#do(session, effect)
  }

  /** Called with each run that an earlier process started; it may be over right afterwards. */
  onTakenUp(listener: (session: LiveSession, run: Run) => void): void {
    this.#takenUpListeners.push(listener)
  }

  /** What happens to the session waits until `resume`. */
  hold(session: LiveSession): void {
    this.#held.set(session, { events: [], heard: Promise.withResolvers() })
  }

  /** Whether the daemon of a session that waits reports a run, or is lost, within this time. */
  isHeard(session: LiveSession, limitMs: number): Promise<boolean> {
    return endsWithin(this.#held.get(session)?.heard.promise ?? Promise.resolve(), limitMs)
  }

  /** Takes up what an earlier process left, and then what has happened since `hold`. */
  async resume(session: LiveSession, found: FoundRun | null): Promise<void> {
    const { clock } = this.#parts
    if (found !== null) {
      for (const [event, at] of eventsOf(found, clock)) {
        this.#take(session, event, at)
        // Thousands of games must not hold up the service.
        await takeTurns()
      }
    } else if (!session.transport.isShared) {
      // A run of a shared daemon may be someone else's.
      this.#take(session, { kind: 'found', known: null }, clock)
    }
    const held = this.#held.get(session)?.events ?? []
    this.#held.delete(session)
    const isTaken = (event: RunEvent) => found !== null && isAmong(found, event)
    for (const event of held) if (!isTaken(event)) this.take(session, event)
  }

  #do(session: LiveSession, effect: RunEffect): void {
    const { announcer, history, timers } = this.#parts
    switch (effect.kind) {
      case 'begun':
        this.#publish(session, 'started')
        if (effect.request === null) return this.#noteTakenUp(session, effect.run)
        return void this.#send(session, effect.run, effect.request)
      case 'sendCancel':
        return void this.#cancels.set(effect.run, this.#sendCancel(session, effect.run))
      case 'wait': {
        const { run, ms } = effect
        this.#timers.get(run)?.()
        const waited = timers.after(ms, () => this.take(session, { kind: 'waited', run }))
        return void this.#timers.set(run, waited)
      }
      case 'gameOpened':
        this.#store(() => history.open(session.id, effect, effect.schedule))
        return announcer.history(session, effect.appId, 'InProgress')
      case 'gameGrew':
        return this.#store(() => history.grow(session.id, effect))
      case 'gameClosed':
        this.#store(() => history.close(session.id, effect))
        return announcer.history(session, effect.appId, effect.end.status)
      case 'gameIsCurrent':
        return this.#store(() => this.#record(session, effect.progress))
      case 'progress':
        return announcer.progress(session, effect.progress)
      case 'ended':
        return this.#ended(session, effect.run, effect.result)
    }
  }

  /** A store that fails does not end a run. */
  #store(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#parts.log.error({ err: error }, 'the history of a prefill was not written')
    }
  }

  #publish(session: LiveSession, state: 'started' | RunOutcome['state'], result?: RunResult): void {
    const durationSeconds = result === undefined ? null : Math.round(result.seconds)
    const errorMessage = result?.errorMessage ?? null
    this.#parts.announcer.runState(session, { state, durationSeconds, errorMessage })
    this.#parts.announcer.updated(session)
    this.#parts.runsChanged()
  }

  #ended(session: LiveSession, run: Run, result: RunResult): void {
    const { state, errorMessage } = result
    const { id: sessionId, platform } = session
    this.#timers.get(run)?.()
    this.#store(() => this.#parts.history.prune())
    this.#parts.log.info({ sessionId, platform, state, errorMessage }, 'prefill ended')
    this.#publish(session, state, result)
    run.ended.resolve(result)
  }

  #noteTakenUp(session: LiveSession, run: Run): void {
    this.takenUp.set(session, run)
    for (const listener of this.#takenUpListeners) listener(session, run)
  }

  async #send(session: LiveSession, run: Run, request: RunRequest): Promise<void> {
    try {
      const { cache } = run
      // The depots are those of the usual cache.
      const isKnown = !request.force && session.platform === 'alpha' && cache === null
      const known = isKnown ? this.#parts.depots.all() : []
      const about = session.isLarders ? { run: run.mark, schedule: run.schedule } : null
      const answer = await session.client.prefill(request, { known, cache, about })
      this.take(session, { kind: 'answered', run, answer })
    } catch (error) {
      this.take(session, { kind: 'lost', run, errorMessage: failureText(error) })
    }
  }

  async #sendCancel(session: LiveSession, run: Run): Promise<void> {
    try {
      const answer = await session.client.cancelPrefill()
      const text = answer.error ?? answer.message ?? ''
      if (/no prefill/i.test(text)) this.take(session, { kind: 'nothingToCancel', run })
    } catch (error) {
      const reason = failureText(error)
      this.#parts.log.warn({ sessionId: session.id, reason }, 'a prefill was not cancelled')
    }
  }

  /** Notes the depots of a game that is in the cache now. */
  #record(session: LiveSession, { currentAppId, currentAppName, depots }: Progress): void {
    const appId = Number(currentAppId)
    if (currentAppId === null || !Number.isSafeInteger(appId)) return
    const at = this.#parts.clock.now()
    if (session.run?.cache != null) return
    const known = depots.filter(({ depotId }) => Number(depotId) <= depotIdMax)
    const depotIds = known.map(({ depotId }) => Number(depotId))
    for (const { depotId, manifestId } of known) {
      this.#parts.depots.record({
        depotId: Number(depotId),
        manifestId,
        appId: currentAppId,
        appName: currentAppName,
        // Daemons do not say how large a depot is.
        totalBytes: null,
        cachedAt: at,
        cachedBy: session.username ?? session.accountUsername,
      })
    }
    if (depotIds.length === 0) return
    const { catalogue, log } = this.#parts
    catalogue.addUses({ appId, depotIds, at: at.getTime() }).catch((error: unknown) => {
      log.warn({ err: error, appId }, 'depots of a prefill were not noted')
    })
  }

  /** Throws AppError `conflict` while this session or another one of its daemon has a run. */
  checkFree(session: LiveSession): void {
    if (session.run !== null || this.#held.has(session)) throw new AppError('conflict', runningText)
    if (!session.transport.isShared) return
    for (const other of this.#parts.sessions()) {
      const isSame = other.platform === session.platform && other.transport.isShared
      if (isSame && other.run !== null) throw new AppError('conflict', sharedText)
    }
  }

  /** The cache of a node; null: the usual one. Throws AppError. */
  cacheOf({ isLarders }: LiveSession, cache: string | null): ServerAddress | null {
    if (cache === null) return null
    if (isLarders) return cacheOfNode(this.#parts.nodeHosts, cache)
    throw new AppError('conflict', 'This daemon knows one cache only; leave the choice of another')
  }

  /**
   * Starts a run, which the signal cancels; resolves at its end. Throws AppError `conflict` while
   * this session, or another one of the same daemon, has one.
   */
  start(
    session: LiveSession,
    request: RunRequest,
    { signal, schedule = null }: { signal: AbortSignal; schedule?: RunSchedule },
  ): Promise<RunResult> {
    this.checkFree(session)
    const cache = this.cacheOf(session, request.cache)
    const ended = Promise.withResolvers<RunResult>()
    this.take(session, { kind: 'start', request, schedule, cache, ended })
    return this.join(session, ended, signal)
  }

  /** Resolves at the end of the session's run, which the signal cancels. */
  join(session: LiveSession, { promise }: Run['ended'], signal: AbortSignal): Promise<RunResult> {
    const cancel = () => void this.cancel(session)
    if (signal.aborted) cancel()
    signal.addEventListener('abort', cancel, { once: true })
    return promise.finally(() => signal.removeEventListener('abort', cancel))
  }

  /**
   * Cancels the run and waits for its end, and for the daemon to take the cancel. With an `outcome`
   * the run ends at once, and with it.
   */
  async cancel(session: LiveSession, outcome?: RunOutcome): Promise<void> {
    const { run } = session
    if (run === null) return
    this.take(session, { kind: 'cancel', outcome })
    await this.#cancels.get(run)
    await run.ended.promise
  }
}
