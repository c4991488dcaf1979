import type { Clock } from '../../core/lib/clock.ts'
import type { Logger } from '../../core/lib/log.ts'
import { systemTimers, type Timers } from '../../core/lib/timers.ts'
import { Engine } from '../host.ts'
import type { DiskJobs } from './jobs.ts'

type Question = keyof DiskJobs
type Answer<Q extends Question> = ReturnType<DiskJobs[Q]>

/** Queries file systems without ever waiting long for one. */
export interface DiskEngine {
  /** The answer, or null when the file system is not answering. */
  ask<Q extends Question>(question: Q, path: string): Promise<Answer<Q> | null>
  stop(): void
}

/** A longer call means an unreachable share; the queries with many small reads may take longer. */
const limitMs: Record<Question, number> = {
  space: 2000,
  cacheFolderFacts: 2000,
  logFolderFacts: 2000,
  diskSize: 2000,
  keys: 10_000,
}
/** An unresponsive path is skipped for this long, doubled after every failure. */
const restMs = 30_000
const restMsMax = 10 * 60_000
/**
 * A call that is still in the kernel blocks its thread, so the next attempt waits longer; not
 * forever, as another disk may be mounted there by then. When the call returns, the path is usable
 * again.
 */
const stuckMs = 60 * 60_000
/** Queued queries. */
const waitingMax = 200

interface Rest {
  untilMs: number
  lengthMs: number
}

export interface DiskEngineParts {
  log: Logger
  clock: Clock
  timers?: Timers
  /** Overrides the worker, for tests of a file system that hangs. */
  script?: string
}

/**
 * One worker with one query at a time. A worker that does not answer is terminated, and the next
 * query starts a new one: a dead share costs a worker, never the service.
 */
export function createDiskEngine(parts: DiskEngineParts): DiskEngine {
  const { log, clock, timers = systemTimers } = parts
  const script = parts.script ?? new URL('./disk.worker.ts', import.meta.url).href
  const engine = new Engine<DiskJobs>({ name: 'disk', script, log, hasSmallHeap: true })
  const rests = new Map<string, Rest>()
  /** Paths whose call is still in the kernel. */
  const stuck = new Set<string>()
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0
  let isStopped = false

  function rest(path: string): void {
    const lengthMs = Math.min((rests.get(path)?.lengthMs ?? restMs / 2) * 2, restMsMax)
    rests.set(path, { untilMs: clock.elapsedMs() + lengthMs, lengthMs })
    log.warn({ path, seconds: lengthMs / 1000 }, 'a file system does not answer; retrying later')
  }

  async function askNow<Q extends Question>(question: Q, path: string): Promise<Answer<Q> | null> {
    const untilMs = (rests.get(path)?.untilMs ?? 0) + (stuck.has(path) ? stuckMs : 0)
    if (isStopped || clock.elapsedMs() < untilMs) return null
    let isLate = false
    let isEnded = false
    const stopDeadline = timers.after(limitMs[question], () => {
      isLate = true
      engine.kill('a file system does not answer', () => {
        // It answered after all: the path may be queried again at once.
        if (stuck.delete(path)) rests.delete(path)
        isEnded = true
      })
      if (!isEnded) stuck.add(path)
    })
    try {
      const answer = await engine.run(question, path as never)
      rests.delete(path)
      // One job per query, so the answer has this query's type.
      return answer as Answer<Q>
    } catch (error) {
      if (isLate) rest(path)
      else if (!isStopped) log.warn({ err: error }, 'the disk worker failed')
      return null
    } finally {
      stopDeadline()
    }
  }

  return {
    ask(question, path) {
      if (waiting >= waitingMax) return Promise.resolve(null)
      waiting++
      const turn = last.then(() => askNow(question, path)).finally(() => waiting--)
      last = turn
      return turn
    },
    stop() {
      isStopped = true
      engine.kill('stopping')
    },
  }
}
