/*
 * A run as a state machine. `step` is the only code that changes a run and what its session shows
 * of it; it returns the effects, which `runs.ts` carries out. `run-jobs.ts` stands before it (the
 * operation that waits for others), `watch.ts` and schedules only send `cancel`.
 *
 *           start                      found, or a progress of a run that went on
 *   none ──────────► asked                       │
 *    ▲                 │ answer or progress      │
 *    │                 ▼                         │
 *    │              running ◄────────────────────┘
 *    │                 │ cancel: the daemon is asked to stop      progress: rows open and close
 *    │                 ▼
 *    └── end ◄─── cancelling      ends by the daemon's event, by ten seconds of silence, or after a
 *                                 minute; with an outcome (stall, end of the session) at once
 *
 * The first end counts, from every state: the daemon's last progress, an answer that refuses or
 * comes at the end (older images), a cancel, a lost connection. It closes the open game, and is
 * published, stored and resolved once. What concerns a run that is over does nothing. A run that
 * ended without the daemon's event leaves `isEndPending`: that event may still come, and must not
 * end the next run before anything was heard of it. After a restart the events that our own daemon
 * has kept (`resume.ts`) are taken like those that arrive, each at its own time.
 */
import type { ServerAddress } from '../../core/lib/cache-network.ts'
import type { Clock } from '../../core/lib/clock.ts'
import { timeLimitsMs } from '../protocol/commands.ts'
import type { DaemonResponse } from '../protocol/envelopes.ts'
import { isTerminal, type Progress } from '../protocol/progress.ts'
import { reasons } from '../reasons.ts'
import { randomText } from '../../core/lib/secret-file.ts'
import type { RunRequest } from './model.ts'
import type { AppEnd } from './history-store.ts'

/** Answer of current daemons; older ones answer at the end of the run with another text. */
const acceptedText = 'Prefill started'
const busyPattern = /already in progress/i
/** An older daemon that answers later than this has finished. */
const answerAtEndMs = 2000
/** A cancelled run is over after this long, even while its daemon keeps sending. */
const cancelMsMax = 60_000
const markBytes = 8
/** A game that was finished so short a time ago is not opened again by a late event. */
const reopenAfterMs = 5000
/** How often the bytes of the open game are noted, which is all that a power failure leaves. */
const noteMs = 1000

const cachedResults = new Set(['AlreadyUpToDate', 'Skipped', 'NoDepotsToDownload'])

/** Whether a finished game needed no download. */
export const isCachedResult = ({ state, result }: Progress): boolean =>
  state === 'already_cached' || (result !== null && cachedResults.has(result))

/** Whether this is the end of a game. */
export const isGameEnd = ({ state }: Progress): boolean =>
  state === 'app_completed' || state === 'already_cached'

/** How a run ended. */
export interface RunOutcome {
  state: 'completed' | 'failed' | 'cancelled'
  errorMessage: string | null
  /** The daemon is busy with a run of someone else; nothing was started. */
  isBusy?: boolean
  /** Games that could not be prefilled, of a run that came to its end. */
  failedApps?: number
}

export interface RunResult extends RunOutcome {
  seconds: number
  bytes: number
  /** Absent: it never ran. */
  endedAt?: Date
}

export type RunSchedule = { id: string; name: string } | null

type Ended = PromiseWithResolvers<RunResult>

interface RunStart {
  schedule: RunSchedule
  /** Where content is requested; null: the cache of its daemon. */
  cache: ServerAddress | null
  ended: Ended
}

/** A prefill that runs. Times are elapsed ones. */
const newRun = (clock: Clock, { schedule, cache, ended }: RunStart) => ({
  /** Names the run in the log of the cache and for its daemon. */
  mark: randomText(markBytes),
  schedule,
  cache,
  startedMs: clock.elapsedMs(),
  ended,
  state: 'asked' as 'asked' | 'running' | 'cancelling',
  /** The daemon has answered, or reported progress. */
  isHeard: false,
  cancelledMs: 0,
  /** Last sign of life: bytes, a step of preparing, or a game that was finished. */
  activeMs: clock.elapsedMs(),
  notedMs: -Infinity,
  /** What `activeMs` is calculated from. */
  signature: '',
  /** Bytes of the games that are finished, with what an interrupted run had fetched before. */
  finishedBytes: 0,
  /** Bytes of this run, as reported with its end; 0: not reported. */
  transferredBytes: 0,
  /** Games that are finished -> when. */
  finished: new Map<string, number>(),
  totalApps: 0,
  /** The game whose row in the history is open. */
  open: null as { appId: string; bytes: number; totalBytes: number } | null,
  /** When the last game ended, and the next began. */
  gameEndedAt: clock.now(),
})
export type Run = ReturnType<typeof newRun>

type LastRun = Pick<RunOutcome, 'state' | 'errorMessage'> & { completedAt: Date; seconds: number }

/** What a session knows of its runs before the first one. */
export const noRuns = (mayHaveRun: boolean) => ({
  run: null as Run | null,
  currentAppId: null as string | null,
  currentAppName: null as string | null,
  totalBytesTransferred: 0,
  lastRun: null as LastRun | null,
  lastProgress: null as Progress | null,
  /** Its daemon was told to pause. */
  isPaused: false,
  /** A run may go on that an earlier process started. */
  mayHaveRun,
  /** A run ended without the daemon's event, which may still come. */
  isEndPending: false,
})
export type RunSlot = ReturnType<typeof noRuns>

export type RunEvent =
  | ({ kind: 'start'; request: RunRequest } & RunStart)
  /**
   * The daemon of an earlier process was found. `known`: what that recorded of a run whose end it did
   * not see; null: nothing, and published images do not say whether they have a run.
   */
  | { kind: 'found'; known: Partial<Run> | null }
  | { kind: 'progress'; progress: Progress }
  /** The daemon was told to pause, or to go on: its silence counts from now. */
  | { kind: 'paused'; isPaused: boolean }
  /** The daemon is lost, or did not answer the start of this run. */
  | { kind: 'lost'; errorMessage: string; run?: Run }
  /** With an outcome the run ends at once. */
  | { kind: 'cancel'; outcome?: RunOutcome | undefined }
  | { kind: 'answered'; run: Run; answer: DaemonResponse }
  /** The daemon has no run that could be cancelled. */
  | { kind: 'nothingToCancel'; run: Run }
  /** The last `wait` is over. */
  | { kind: 'waited'; run: Run }

export type RunEffect =
  /** The request is sent to the daemon; null: it has begun already. */
  | { kind: 'begun'; run: Run; request: RunRequest | null }
  | { kind: 'sendCancel'; run: Run }
  /** Replaces an earlier one. */
  | { kind: 'wait'; run: Run; ms: number }
  | { kind: 'gameOpened'; appId: string; appName: string | null; at: Date; schedule: RunSchedule }
  | { kind: 'gameGrew'; appId: string; bytes: number; totalBytes: number }
  | { kind: 'gameClosed'; appId: string; at: Date; end: AppEnd }
  /** The game is in the cache in the versions of the progress. */
  | { kind: 'gameIsCurrent'; progress: Progress }
  | { kind: 'progress'; progress: Progress }
  | { kind: 'ended'; run: Run; result: RunResult }

const cancelled: RunOutcome = { state: 'cancelled', errorMessage: null }
const failed = (errorMessage: string): RunOutcome => ({ state: 'failed', errorMessage })

function begin(slot: RunSlot, run: Run): Run {
  slot.run = run
  slot.totalBytesTransferred = 0
  slot.lastProgress = null
  slot.mayHaveRun = false
  return run
}

/** Takes up a run that an earlier process started. */
function follow(slot: RunSlot, clock: Clock, known: Partial<Run> | null): RunEffect[] {
  const start = { schedule: null, cache: null, ended: Promise.withResolvers<RunResult>() }
  const run = begin(slot, { ...newRun(clock, start), ...known })
  hear(run)
  return [{ kind: 'begun', run, request: null }]
}

function hear(run: Run): void {
  run.isHeard = true
  if (run.state === 'asked') run.state = 'running'
}

type Ending = Partial<AppEnd> & Pick<AppEnd, 'status'>

function closeGame(run: Run, clock: Clock, end: Ending): RunEffect[] {
  if (run.open === null) return []
  const at = clock.now()
  const { appId, bytes, totalBytes } = run.open
  const closed = { bytes, totalBytes, ...end }
  run.open = null
  run.finished.set(appId, clock.elapsedMs())
  run.finishedBytes += closed.bytes
  run.gameEndedAt = at
  return [{ kind: 'gameClosed', appId, at, end: closed }]
}

/** What a game was whose end was not reported. */
const unsaid = ({ open }: Run): 'Completed' | 'Cached' =>
  (open?.bytes ?? 0) > 0 ? 'Completed' : 'Cached'

/** The one step in which a run ends. */
function end(slot: RunSlot, run: Run, outcome: RunOutcome, clock: Clock): RunEffect[] {
  const { state, errorMessage } = outcome
  const nowMs = clock.elapsedMs()
  const status = state === 'completed' ? unsaid(run) : state === 'failed' ? 'Failed' : 'Cancelled'
  const reason = state === 'failed' ? errorMessage : null
  const closed = closeGame(run, clock, { status, errorMessage: reason })
  const seconds = Math.max(0, (nowMs - run.startedMs) / 1000)
  const bytes = run.transferredBytes || run.finishedBytes
  slot.run = null
  slot.totalBytesTransferred = bytes
  slot.lastRun = { state, errorMessage, completedAt: clock.now(), seconds: Math.round(seconds) }
  slot.currentAppId = null
  slot.currentAppName = null
  const result = { ...outcome, seconds, bytes, endedAt: slot.lastRun.completedAt }
  return [...closed, { kind: 'ended', run, result }]
}

/** Without waiting for the daemon: what it still sends about this run is not taken for the next one. */
function endSilently(slot: RunSlot, run: Run, outcome: RunOutcome, clock: Clock): RunEffect[] {
  slot.isEndPending = true
  return end(slot, run, outcome, clock)
}

function answered(slot: RunSlot, run: Run, answer: DaemonResponse, clock: Clock): RunEffect[] {
  const text = answer.message ?? answer.error ?? ''
  const isLate = run.isHeard || clock.elapsedMs() - run.startedMs > answerAtEndMs
  const isBusy = busyPattern.test(text)
  const isAccepted = answer.success && !isBusy && (text === acceptedText || !isLate)
  hear(run)
  if (isAccepted) return []
  if (run.state === 'cancelling') return end(slot, run, cancelled, clock)
  if (isBusy) return end(slot, run, { ...failed(text), isBusy }, clock)
  if (!answer.success) return end(slot, run, failed(text || reasons.notStarted), clock)
  return end(slot, run, { state: 'completed', errorMessage: null }, clock)
}

/** Until a cancelled run counts as over although the daemon has not said so. */
function silence(run: Run, nowMs: number): RunEffect {
  const leftMs = run.cancelledMs + cancelMsMax - nowMs
  return { kind: 'wait', run, ms: Math.max(0, Math.min(timeLimitsMs.silenceAfterCancel, leftMs)) }
}

function cancel(slot: RunSlot, run: Run, clock: Clock, outcome?: RunOutcome): RunEffect[] {
  const send: RunEffect = { kind: 'sendCancel', run }
  if (outcome !== undefined) return [send, ...endSilently(slot, run, outcome, clock)]
  if (run.state === 'cancelling') return [send]
  run.state = 'cancelling'
  run.cancelledMs = clock.elapsedMs()
  return [send, silence(run, run.cancelledMs)]
}

/** A game is read or downloaded; null: one that was just finished, or none. */
function followGame(run: Run, progress: Progress, clock: Clock): RunEffect[] | null {
  const { currentAppId: appId, currentAppName: appName, bytesDownloaded, totalBytes } = progress
  if (appId === null) return null
  const effects: RunEffect[] = []
  if (run.open?.appId !== appId) {
    const finishedMs = run.finished.get(appId)
    if (finishedMs !== undefined && clock.elapsedMs() - finishedMs < reopenAfterMs) return null
    effects.push(...closeGame(run, clock, { status: unsaid(run) }))
    // One that is first heard of at its end began when the one before it was over.
    const at = isGameEnd(progress) ? run.gameEndedAt : clock.now()
    effects.push({ kind: 'gameOpened', appId, appName, at, schedule: run.schedule })
    run.open = { appId, bytes: 0, totalBytes: 0 }
    run.notedMs = -Infinity
  }
  run.open.bytes = Math.max(run.open.bytes, bytesDownloaded)
  run.open.totalBytes = Math.max(run.open.totalBytes, totalBytes)
  return effects
}

function finishGame(run: Run, progress: Progress, clock: Clock): RunEffect[] {
  const followed = followGame(run, progress, clock)
  if (followed === null) return []
  const { result, state, bytesDownloaded } = progress
  const hasFailed = result === 'Failed'
  const status = hasFailed ? 'Failed' : isCachedResult(progress) ? 'Cached' : 'Completed'
  const seen = run.open?.bytes ?? 0
  const bytes = { Failed: seen, Cached: 0, Completed: bytesDownloaded || seen }[status]
  const errorMessage = hasFailed ? progress.errorMessage : null
  const closed = [...followed, ...closeGame(run, clock, { status, bytes, errorMessage })]
  const isCurrent =
    result === 'Success' || result === 'AlreadyUpToDate' || state === 'already_cached'
  return isCurrent && !hasFailed ? [...closed, { kind: 'gameIsCurrent', progress }] : closed
}

function noteBytes(run: Run, nowMs: number): RunEffect[] {
  if (run.open === null || run.open.bytes === 0 || nowMs - run.notedMs < noteMs) return []
  run.notedMs = nowMs
  return [{ kind: 'gameGrew', ...run.open }]
}

/** A progress that does not end the run. */
function progressed(slot: RunSlot, run: Run, progress: Progress, clock: Clock): RunEffect[] {
  const nowMs = clock.elapsedMs()
  const games = isGameEnd(progress)
    ? finishGame(run, progress, clock)
    : (followGame(run, progress, clock) ?? [])
  hear(run)
  run.totalApps = progress.totalApps || run.totalApps
  const bytes = run.finishedBytes + (run.open?.bytes ?? 0)
  // Lists of contents are bytes of the run, but of no game; some come from elsewhere.
  const reading = progress.state === 'preparing' ? progress.message : null
  const signature = `${bytes} ${progress.totalBytesTransferred} ${run.finished.size} ${reading}`
  // How long a run waits for its cache is the daemon's limit.
  const isWaiting = progress.isPaused || progress.state === 'waiting-for-cache'
  // Events from before a restart are no silence of now.
  if (signature !== run.signature || isWaiting) run.activeMs = Math.max(run.activeMs, nowMs)
  run.signature = signature
  slot.totalBytesTransferred = run.finishedBytes
  const { currentAppId, currentAppName } = progress
  const isNext = currentAppId !== null && currentAppId !== slot.currentAppId
  if (isNext) slot.currentAppId = currentAppId
  // A game that fails early has no name; that of the last one is wrong.
  if (isNext || currentAppName !== null) slot.currentAppName = currentAppName
  const waits = run.state === 'cancelling' ? [silence(run, nowMs)] : []
  return [...games, ...noteBytes(run, nowMs), ...waits, { kind: 'progress', progress }]
}

/** The progress with which the daemon ends the run. */
function finished(slot: RunSlot, run: Run, progress: Progress, clock: Clock): RunEffect[] {
  const { state, failedApps, updatedApps, alreadyUpToDate } = progress
  const shown: RunEffect = { kind: 'progress', progress }
  const ending = (outcome: RunOutcome) => [shown, ...end(slot, run, outcome, clock)]
  run.transferredBytes = progress.totalBytesTransferred
  if (run.state === 'cancelling' || state === 'cancelled') return ending(cancelled)
  if (state === 'error') {
    return ending(failed(progress.errorMessage ?? progress.message ?? reasons.prefillFailed))
  }
  const hasFailed = failedApps > 0 && updatedApps + alreadyUpToDate === 0
  if (hasFailed) return ending({ ...failed(reasons.allFailed), failedApps })
  return ending({ state: 'completed', errorMessage: null, failedApps })
}

function onProgress(slot: RunSlot, progress: Progress, clock: Clock): RunEffect[] {
  const isEnd = isTerminal(progress.state)
  const begun = slot.run === null && slot.mayHaveRun && !isEnd ? follow(slot, clock, null) : []
  const { run } = slot
  const isOwed = isEnd && slot.isEndPending && run?.isHeard === false
  if (isEnd && (run === null || isOwed)) slot.isEndPending = slot.mayHaveRun = false
  if (run === null || isOwed) return []
  slot.lastProgress = progress
  if (isEnd) return finished(slot, run, progress, clock)
  return [...begun, ...progressed(slot, run, progress, clock)]
}

/** Takes an event, and returns what is to be done, in this order. */
export function step(slot: RunSlot, event: RunEvent, clock: Clock): RunEffect[] {
  const { run } = slot
  if (event.kind === 'progress') return onProgress(slot, event.progress, clock)
  if (event.kind === 'paused') {
    slot.isPaused = event.isPaused
    if (run !== null) run.activeMs = clock.elapsedMs()
    return []
  }
  if (run === null) {
    const isKnown = event.kind === 'found' && (event.known !== null || slot.mayHaveRun)
    if (isKnown) return follow(slot, clock, event.known)
    if (event.kind === 'found') slot.mayHaveRun = true
    if (event.kind !== 'start') return []
    const { request } = event
    const begun = begin(slot, newRun(clock, event))
    return [{ kind: 'begun', run: begun, request }]
  }
  if ('run' in event && event.run !== run) return []
  switch (event.kind) {
    case 'lost':
      return end(slot, run, failed(event.errorMessage), clock)
    case 'cancel':
      return cancel(slot, run, clock, event.outcome)
    case 'answered':
      return answered(slot, run, event.answer, clock)
    case 'nothingToCancel':
      return end(slot, run, cancelled, clock)
    case 'waited':
      return endSilently(slot, run, cancelled, clock)
    case 'start':
    case 'found':
      break
  }
  return []
}

/** Seconds without a sign of life; 0 without a run, and while it is paused. */
export const silentSeconds = ({ run, isPaused }: Readonly<RunSlot>, nowMs: number): number =>
  run === null || isPaused ? 0 : (nowMs - run.activeMs) / 1000
