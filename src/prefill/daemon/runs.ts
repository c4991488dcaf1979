/*
 * Exactly one terminal event per run. `runs.ts` is the only place that ends a run. A run that does
 * not stop within eight seconds of a cancel is reported as cancelled, and what it still does is
 * not reported. Control commands skip the queue: status, cancel, credentials and bandwidth are
 * answered while a library is being listed.
 */
import type { ServerAddress } from '../../core/lib/cache-network.ts'
import type { Clock } from '../../core/lib/clock.ts'
import type { Logger } from '../../core/lib/log.ts'
import { endsWithin } from '../../core/lib/within.ts'
import type { EventType } from '../protocol/envelopes.ts'
import { progressOf } from '../protocol/progress.ts'
import type { Bandwidth } from './content/bandwidth.ts'
import type { CacheClient } from './content/cache-client.ts'
import type { CacheGate, Waiting } from './content/cache-gate.ts'
import { createMeter } from './content/meter.ts'
import type { Engine } from './engine.ts'
import { createRunReport } from './run-report.ts'
import { runApps, type ProgressPart, type RunContext, type RunRequest } from './run-apps.ts'
import type { DaemonStore } from './store.ts'
import { errorText } from '../../core/lib/error-text.ts'

export interface RunParts {
  engine: Engine
  store: DaemonStore
  bandwidth: Bandwidth
  /** Rejects with CacheNotFound. */
  openClient: (cache: ServerAddress | null) => Promise<CacheClient>
  publish: (type: EventType, data: object) => void
  clock: Clock
  log: Logger
}

const cancelled: ProgressPart = { state: 'cancelled', message: 'Prefill cancelled' }
/** The manager waits ten seconds for the answer to a cancel. */
const cancelMs = 8000

interface Run {
  abort: AbortController
  ended: Promise<void>
  /** Publishes the terminal event, unless it was published before. */
  finish: (last: ProgressPart) => void
}

/** Runs `use` with a connection to the cache that is opened when it is first needed. */
export async function withClient<T>(
  openClient: () => Promise<CacheClient>,
  use: (client: () => Promise<CacheClient>) => Promise<T>,
): Promise<T> {
  const opened: Promise<CacheClient>[] = []
  try {
    return await use(async () => {
      if (opened.length === 0) opened.push(openClient())
      return opened[0] ?? openClient()
    })
  } finally {
    // One that could not be opened has nothing to close.
    for (const client of opened) await client.then((it) => it.close()).catch(() => {})
  }
}

/** A progress that says so when nothing comes because of the cache. */
function withWaiting(part: ProgressPart, waiting: Waiting | null): ProgressPart {
  const isUnderWay = part.state === 'preparing' || part.state === 'downloading'
  if (!isUnderWay || waiting === null) return part
  const { since, message } = waiting
  const waitingSince = Math.floor(since.getTime() / 1000)
  return { ...part, state: 'waiting-for-cache', waitingSince, message }
}

/** Does the work of a run and publishes its end, whatever that is. Never rejects. */
async function settle(
  { signal }: AbortController,
  { finish, log }: { finish: (last: ProgressPart) => void; log: Logger },
  work: () => Promise<ProgressPart>,
): Promise<void> {
  // The answer to `prefill` goes out before the first event.
  await Bun.sleep(0)
  try {
    finish(await work())
  } catch (error) {
    if (signal.aborted) return finish(cancelled)
    log.warn({ err: error }, 'a prefill run failed')
    const errorMessage = errorText(error)
    finish({ state: 'error', errorMessage, message: errorMessage })
  }
}

const unnamed = { run: null, scheduleId: null, scheduleName: null }
const noReport = createRunReport({ names: unnamed, cache: null }, false)

export type Runs = ReturnType<typeof createRuns>

/** Prefill runs of one daemon: at most one at a time; each ends with exactly one terminal event. */
export function createRuns(parts: RunParts) {
  const { engine, store, openClient, publish, clock, log } = parts
  let current: Run | null = null
  let report = noReport

  function begin(request: RunRequest): Run {
    const abort = new AbortController()
    const startedMs = clock.elapsedMs()
    const meter = createMeter()
    const kept = createRunReport(request, engine.wire.hasNumericIds)
    report = kept
    let hasEnded = false
    const seconds = () => (clock.elapsedMs() - startedMs) / 1000

    function emit(part: ProgressPart): void {
      const progress = progressOf({
        elapsedSeconds: seconds(),
        totalBytesTransferred: meter.totalBytes,
        hitBytes: meter.hitBytes,
        missBytes: meter.missBytes,
        isPaused: parts.bandwidth.isPaused,
        updatedAt: clock.now().toISOString(),
        ...part,
      })
      publish('progress', kept.add(progress))
    }
    const finish = (last: ProgressPart) => {
      if (hasEnded) return
      hasEnded = true
      // Before the event: who receives it may start the next run.
      current = null
      emit({ ...last, totalTimeSeconds: seconds() })
    }
    let gate: CacheGate | null = null
    const tell = (part: ProgressPart) => hasEnded || emit(withWaiting(part, gate?.waiting ?? null))
    const work = (open: RunContext['client']) => {
      const client = async () => {
        const opened = await open()
        gate = opened.gate
        return opened
      }
      const own = { request, engine, store: store.of(request.cache), meter }
      const context = { ...own, signal: abort.signal, tell, client, gate: () => gate }
      return runApps(context, (error) => log.warn({ err: error }, 'an app could not be prefilled'))
    }
    const ended = settle(abort, { finish, log }, () =>
      withClient(() => openClient(request.cache), work),
    )
    return { abort, ended, finish }
  }

  return {
    get isRunning() {
      return current !== null
    },
    /** A page of what is kept of the last run, from this event on. */
    report: (from: number): object => report.page(from),
    /** False: one is in progress. */
    start(request: RunRequest): boolean {
      if (current !== null) return false
      current = begin(request)
      return true
    },
    /** Resolves after the run has ended; false: there is none. */
    async cancel(): Promise<boolean> {
      const run = current
      if (run === null) return false
      run.abort.abort(new Error('the run was cancelled'))
      if (!(await endsWithin(run.ended, cancelMs))) {
        log.error('a run did not stop when it was cancelled; what it still does is not reported')
        run.finish(cancelled)
      }
      return true
    },
  }
}
