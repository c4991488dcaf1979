import type { Clock } from '../../core/lib/clock.ts'
import type { Logger } from '../../core/lib/log.ts'
import { systemTimers, type Timers } from '../../core/lib/timers.ts'
import { Engine } from '../host.ts'
import type { DiskJobs } from './jobs.ts'

type Question = keyof DiskJobs
type Answer<Q extends Question> = ReturnType<DiskJobs[Q]>

/** Asks file systems without ever waiting long for one. */
export interface DiskEngine {
  /** The answer, or null when the file system did not answer in time or did not lately. */
  ask<Q extends Question>(question: Q, path: string): Promise<Answer<Q> | null>
  stop(): void
}

/** A question that takes longer has met a share that is gone; many small reads may take longer. */
const limitMs: Record<Question, number> = {
  space: 2000,
  cacheSide: 2000,
  logSide: 2000,
  diskSize: 2000,
  keys: 10_000,
}
/** A path that did not answer is left alone for this long, twice as long after every failure. */
const restMs = 30_000
const restMsMax = 10 * 60_000
/**
 * A question that is still in the kernel holds its thread, so the next one waits longer; never for
 * ever, as another disk may be mounted there meanwhile. When it comes back the path is well again.
 */
const stuckMs = 60 * 60_000
/** Questions that wait for their turn. */
const waitingMax = 200

interface Rest {
  untilMs: number
  lengthMs: number
}

export interface DiskEngineParts {
  log: Logger
  clock: Clock
  timers?: Timers
  /** Another worker, for tests of a file system that hangs. */
  script?: string
}

/**
 * One worker that is asked one question at a time. When it does not answer it is ended, and the
 * next question starts a new one: a dead share costs a worker, never the service.
 */
export function createDiskEngine(parts: DiskEngineParts): DiskEngine {
  const { log, clock, timers = systemTimers } = parts
  const script = parts.script ?? new URL('./disk.worker.ts', import.meta.url).href
  const engine = new Engine<DiskJobs>({ name: 'disk', script, log, hasSmallHeap: true })
  const rests = new Map<string, Rest>()
  /** Paths whose question is still in the kernel. */
  const stuck = new Set<string>()
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0
  let isStopped = false

  function rest(path: string): void {
    const lengthMs = Math.min((rests.get(path)?.lengthMs ?? restMs / 2) * 2, restMsMax)
    rests.set(path, { untilMs: clock.elapsedMs() + lengthMs, lengthMs })
    log.warn({ path, seconds: lengthMs / 1000 }, 'a file system does not answer; asked again later')
  }

  async function askNow<Q extends Question>(question: Q, path: string): Promise<Answer<Q> | null> {
    const untilMs = (rests.get(path)?.untilMs ?? 0) + (stuck.has(path) ? stuckMs : 0)
    if (isStopped || clock.elapsedMs() < untilMs) return null
    let isLate = false
    let isEnded = false
    const stopDeadline = timers.after(limitMs[question], () => {
      isLate = true
      engine.kill('a file system does not answer', () => {
        // It answers after all: it may be asked again at once.
        if (stuck.delete(path)) rests.delete(path)
        isEnded = true
      })
      if (!isEnded) stuck.add(path)
    })
    try {
      const answer = await engine.run(question, path as never)
      rests.delete(path)
      // One job per question, so its answer has the type of this question.
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
