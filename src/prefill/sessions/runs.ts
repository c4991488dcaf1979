/*
 * A run ends exactly once. Its first end counts: the daemon's event, a cancel, a stall, a lost
 * connection, the end of the session. Published images may send no event after a cancel, or a late
 * one: ten seconds of silence end a cancelled run, and an end that comes later is dropped, not
 * taken for the next run's. Runs and logins are operations, so they are listed and can be
 * cancelled there. A call that starts a run is answered at its true end, or at once with `Prefer:
 * respond-async`.
 */
import { AppError } from '../../core/http/errors.ts'
import type { Clock } from '../../core/lib/clock.ts'
import type { Logger } from '../../core/lib/log.ts'
import type { Timers } from '../../core/lib/timers.ts'
import { timeLimitsMs } from '../protocol/commands.ts'
import type { DaemonResponse } from '../protocol/envelopes.ts'
import { isTerminal, type Progress } from '../protocol/progress.ts'
import { reasons } from '../reasons.ts'
import type { Announcer } from './announcer.ts'
import type { RunRequest } from './model.ts'
import type { DepotStore } from './depot-store.ts'
import { failureText } from './refusals.ts'
import type { RunHistory } from './run-history.ts'
import type { LiveSession, Run, RunOutcome, RunResult } from './state.ts'

/** Answer of current daemons; older ones answer at the end of the run with another text. */
const acceptedText = 'Prefill started'
const busyPattern = /already in progress/i
/** An older daemon that answers later than this has finished. */
const answerAtEndMs = 2000
/** A cancelled run is over after this long, even while its daemon keeps sending. */
const cancelMsMax = 60_000

export const runningText = 'A prefill is already running'
const sharedText = 'Another session is prefilling with the same daemon'

interface Parts {
  clock: Clock
  timers: Timers
  log: Logger
  announcer: Announcer
  history: RunHistory
  depots: DepotStore
  /** All sessions, to keep runs of a shared daemon apart. */
  sessions: () => Iterable<LiveSession>
  /** A run began or ended. */
  runsChanged: () => void
}

function newRun(clock: Clock, schedule: Run['schedule']): Run {
  const { promise, resolve } = Promise.withResolvers<RunResult>()
  const nowMs = clock.elapsedMs()
  return {
    schedule,
    startedAt: clock.now(),
    startedMs: nowMs,
    activeMs: nowMs,
    signature: '',
    hasProgress: false,
    isAccepted: false,
    isCancelling: false,
    finishedBytes: 0,
    finished: new Map(),
    totalApps: 0,
    open: null,
    result: promise,
    resolve,
    cancelTimer: null,
  }
}

/** Starts, follows and ends runs. Every run ends exactly once: its first end counts. */
export class Runs {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** The one step in which a run ends; does nothing for a run that has ended. */
  #end(session: LiveSession, run: Run, outcome: RunOutcome): void {
    if (session.run !== run) return
    session.run = null
    run.cancelTimer?.()
    this.#parts.history.end(session, run, outcome)
    const seconds = Math.max(0, (this.#parts.clock.elapsedMs() - run.startedMs) / 1000)
    session.totalBytesTransferred = Math.max(session.totalBytesTransferred, run.finishedBytes)
    const { state, errorMessage } = outcome
    const durationSeconds = Math.round(seconds)
    const completedAt = this.#parts.clock.now()
    session.lastRun = { state, completedAt, seconds: durationSeconds, errorMessage }
    session.currentAppId = null
    session.currentAppName = null
    this.#parts.log.info(
      { sessionId: session.id, platform: session.platform, state, errorMessage },
      'prefill ended',
    )
    this.#parts.announcer.runState(session, { state, durationSeconds, errorMessage })
    this.#parts.announcer.updated(session)
    this.#parts.runsChanged()
    run.resolve({ ...outcome, seconds, bytes: session.totalBytesTransferred })
  }

  /** Without waiting for the daemon: what it still sends about this run is not taken for the next one. */
  #endSilently(session: LiveSession, run: Run, outcome: RunOutcome): void {
    if (session.run === run) session.isEndPending = true
    this.#end(session, run, outcome)
  }

  #begin(session: LiveSession, schedule: Run['schedule'] = null): Run {
    const run = newRun(this.#parts.clock, schedule)
    session.run = run
    session.totalBytesTransferred = 0
    session.lastProgress = null
    session.mayHaveRun = false
    this.#parts.runsChanged()
    const news = { state: 'started', durationSeconds: null, errorMessage: null } as const
    this.#parts.announcer.runState(session, news)
    this.#parts.announcer.updated(session)
    return run
  }

  #accept(session: LiveSession, run: Run, answer: DaemonResponse): void {
    const text = answer.message ?? answer.error ?? ''
    const tookMs = this.#parts.clock.elapsedMs() - run.startedMs
    const isEnd = text !== acceptedText && (run.hasProgress || tookMs > answerAtEndMs)
    run.isAccepted = true
    if (answer.success && !isEnd && !busyPattern.test(text)) return
    if (run.isCancelling) return this.#end(session, run, { state: 'cancelled', errorMessage: null })
    if (busyPattern.test(text)) {
      return this.#end(session, run, { state: 'failed', errorMessage: text, isBusy: true })
    }
    if (answer.success) {
      return this.#end(session, run, { state: 'completed', errorMessage: null })
    }
    const errorMessage = answer.error ?? answer.message ?? reasons.notStarted
    this.#end(session, run, { state: 'failed', errorMessage })
  }

  async #command(session: LiveSession, run: Run, request: RunRequest): Promise<void> {
    try {
      const known = request.force || session.platform !== 'alpha' ? [] : this.#parts.depots.all()
      this.#accept(session, run, await session.client.prefill(request, known))
    } catch (error) {
      this.#end(session, run, { state: 'failed', errorMessage: failureText(error) })
    }
  }

  /** Throws AppError `conflict` while this session or another one of its daemon has a run. */
  checkFree(session: LiveSession): void {
    if (session.run !== null) throw new AppError('conflict', runningText)
    if (!session.transport.isShared) return
    for (const other of this.#parts.sessions()) {
      const isSame = other.platform === session.platform && other.transport.isShared
      if (isSame && other.run !== null) throw new AppError('conflict', sharedText)
    }
  }

  /** Whether this end of a run belongs to the last one, which was ended without it. */
  #isOwed(session: LiveSession, run: Run): boolean {
    const isLate = session.isEndPending && !run.isAccepted && !run.hasProgress
    if (isLate) session.isEndPending = false
    return isLate
  }

  #finish(session: LiveSession, run: Run, progress: Progress): void {
    if (this.#isOwed(session, run)) {
      this.#parts.log.info(
        { sessionId: session.id, state: progress.state },
        'a late end of a prefill was dropped',
      )
      return
    }
    if (progress.state === 'completed') {
      session.totalBytesTransferred = progress.totalBytesTransferred
    }
    this.#parts.announcer.progress(session, progress)
    if (run.isCancelling) return this.#end(session, run, { state: 'cancelled', errorMessage: null })
    const { failedApps, updatedApps, alreadyUpToDate } = progress
    if (progress.state === 'completed' && failedApps > 0 && updatedApps + alreadyUpToDate === 0) {
      return this.#end(session, run, { state: 'failed', errorMessage: reasons.allFailed })
    }
    if (progress.state === 'completed') {
      return this.#end(session, run, { state: 'completed', errorMessage: null, failedApps })
    }
    const isFailed = progress.state === 'error'
    const text = progress.errorMessage ?? progress.message
    const errorMessage = isFailed ? (text ?? reasons.prefillFailed) : null
    this.#end(session, run, { state: isFailed ? 'failed' : 'cancelled', errorMessage })
  }

  #note(session: LiveSession, run: Run, progress: Progress): void {
    const isApp = progress.state === 'app_completed' || progress.state === 'already_cached'
    if (isApp) this.#parts.history.finish(session, run, progress)
    else this.#parts.history.follow(session, run, progress)
    run.hasProgress = true
    run.totalApps = progress.totalApps || run.totalApps
    const bytes = run.finishedBytes + (run.open?.bytes ?? 0)
    // Lists of contents are bytes of the run, but of no game; some come from elsewhere.
    const step = progress.state === 'preparing' ? progress.message : null
    const signature = `${bytes} ${progress.totalBytesTransferred} ${run.finished.size} ${step}`
    if (signature !== run.signature || progress.isPaused) {
      run.signature = signature
      run.activeMs = this.#parts.clock.elapsedMs()
    }
    session.totalBytesTransferred = run.finishedBytes
    const { currentAppId, currentAppName } = progress
    const isNext = currentAppId !== null && currentAppId !== session.currentAppId
    if (isNext) session.currentAppId = currentAppId
    // A game that fails early has no name; that of the last one is wrong.
    if (isNext || currentAppName !== null) session.currentAppName = currentAppName
    if (run.isCancelling) this.#armSilence(session, run)
  }

  #armSilence(session: LiveSession, run: Run): void {
    run.cancelTimer?.()
    run.cancelTimer = this.#parts.timers.after(timeLimitsMs.silenceAfterCancel, () => {
      this.#endSilently(session, run, { state: 'cancelled', errorMessage: null })
    })
  }

  /**
   * Starts a run. Throws AppError `conflict` while this session, or another one of the same
   * daemon, has one.
   */
  start(session: LiveSession, request: RunRequest, schedule: Run['schedule'] = null): Run {
    this.checkFree(session)
    const run = this.#begin(session, schedule)
    void this.#command(session, run, request)
    return run
  }

  /** Takes up a run that an earlier process started. */
  follow(session: LiveSession): void {
    this.#begin(session).isAccepted = true
  }

  /** Takes a progress of the daemon. */
  progress(session: LiveSession, progress: Progress): void {
    const isEnd = isTerminal(progress.state)
    if (session.run === null && session.mayHaveRun && !isEnd) this.follow(session)
    const { run } = session
    if (run === null) {
      if (isEnd) session.isEndPending = session.mayHaveRun = false
      const { state } = progress
      this.#parts.log.info(
        { sessionId: session.id, state },
        'a progress without a prefill was dropped',
      )
      return
    }
    session.lastProgress = progress
    if (isEnd) return this.#finish(session, run, progress)
    this.#note(session, run, progress)
    this.#parts.announcer.progress(session, progress)
  }

  /**
   * Cancels the run and waits for its end: for the daemon's event, or ten seconds of silence. With
   * an `outcome` the run ends at once, and with it.
   */
  async cancel(session: LiveSession, outcome?: RunOutcome): Promise<void> {
    const { run } = session
    if (run === null) return
    run.isCancelling = true
    if (outcome !== undefined) this.#endSilently(session, run, outcome)
    else {
      this.#armSilence(session, run)
      this.#parts.timers.after(cancelMsMax, () => {
        this.#endSilently(session, run, { state: 'cancelled', errorMessage: null })
      })
    }
    try {
      const answer = await session.client.cancelPrefill()
      const text = answer.error ?? answer.message ?? ''
      // A daemon without a run has nothing to say of its end.
      if (/no prefill/i.test(text))
        this.#end(session, run, { state: 'cancelled', errorMessage: null })
    } catch (error) {
      this.#parts.log.warn(
        { sessionId: session.id, reason: failureText(error) },
        'a prefill was not cancelled',
      )
    }
    await run.result
  }

  /** The daemon is lost, and the run with it. */
  fail(session: LiveSession, errorMessage: string): void {
    if (session.run !== null) this.#end(session, session.run, { state: 'failed', errorMessage })
  }

  /** The daemon was told to pause, or to go on: its silence counts from now. */
  notePaused(session: LiveSession, isPaused: boolean): void {
    session.isPaused = isPaused
    if (session.run !== null) session.run.activeMs = this.#parts.clock.elapsedMs()
  }

  /** Seconds without a sign of life; 0 without a run, and while it is paused. */
  silentSeconds({ run, isPaused }: LiveSession): number {
    return run === null || isPaused ? 0 : (this.#parts.clock.elapsedMs() - run.activeMs) / 1000
  }
}
