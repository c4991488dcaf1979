/*
 * Asks file systems for space, permissions, mount types, notes, sample keys and the last lines of
 * a log.
 *
 * One question at a time, two seconds each (ten for sample keys). A question about a dead share
 * never returns, and the runtime's own threads are few. A worker that hangs is ended, its path is
 * left alone for half a minute (twice as long each time, ten minutes at most), and the other
 * datasources go on. A path whose question is still in the kernel is not asked again for an hour,
 * and at once when the call returns. Permissions are asked of the system, never tried: nothing of
 * ours is written below a cache root.
 */
import pLimit from 'p-limit'
import { BackOff } from '../../core/lib/back-off.ts'
import type { Clock } from '../../core/lib/clock.ts'
import type { Logger } from '../../core/lib/log.ts'
import type { Timers } from '../../core/lib/timers.ts'
import type { Launch } from '../engine.ts'
import { Engine, EngineEnded, EngineSilent, type Input, type Output } from '../host.ts'
import type { DiskJobs } from './jobs.ts'
import { programScript } from '../../core/lib/program-files.ts'

type Question = keyof DiskJobs
type Path<Q extends Question> = Input<DiskJobs[Q]> & string
type Answer<Q extends Question> = Output<DiskJobs[Q]>

/** Queries file systems without ever waiting long for one. */
export interface DiskEngine {
  /** The answer, or null when the file system is not answering. */
  ask<Q extends Question>(question: Q, path: Path<Q>): Promise<Answer<Q> | null>
  stop(): void
}

/** A longer call means an unreachable share; the queries with many small reads may take longer. */
const limitMs: Record<Question, number> = {
  space: 2000,
  cacheFolderFacts: 2000,
  logFolderFacts: 2000,
  stackSettings: 2000,
  logSample: 2000,
  folderAccess: 2000,
  keys: 10_000,
}
/** An unresponsive path is skipped for this long after its first failure, and at most. */
const restMs = { first: 30_000, most: 10 * 60_000 }
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
  backOff: BackOff
}

export interface DiskEngineParts {
  log: Logger
  clock: Clock
  timers?: Timers
  /** Overrides the worker, for tests of a file system that hangs. */
  script?: string
  /** Asks another machine. */
  launch?: Launch | undefined
}

/**
 * One worker with one query at a time. A worker that does not answer is terminated, and the next
 * query starts a new one: a dead share costs a worker, never the service.
 */
export function createDiskEngine(parts: DiskEngineParts): DiskEngine {
  const { log, clock, timers, launch } = parts
  const script = parts.script ?? programScript('engines/disk/disk.worker')
  const engine = new Engine<DiskJobs>({
    name: 'disk',
    script,
    log,
    timers,
    launch,
    hasSmallHeap: true,
  })
  const rests = new Map<string, Rest>()
  /** Paths whose call is still in the kernel. */
  const stuck = new Set<string>()
  const inTurn = pLimit(1)

  function rest(path: string, { blocked }: EngineSilent): void {
    if (blocked !== null) {
      stuck.add(path)
      // It answers after all: the path may be queried again at once.
      void blocked.then(() => stuck.delete(path) && rests.delete(path))
    }
    const backOff = rests.get(path)?.backOff ?? new BackOff(restMs.first, restMs.most)
    const lengthMs = backOff.next()
    rests.set(path, { untilMs: clock.elapsedMs() + lengthMs, backOff })
    log.warn({ path, seconds: lengthMs / 1000 }, 'a file system does not answer; retrying later')
  }

  async function askNow<Q extends Question>(question: Q, path: Path<Q>): Promise<Answer<Q> | null> {
    const untilMs = (rests.get(path)?.untilMs ?? 0) + (stuck.has(path) ? stuckMs : 0)
    if (clock.elapsedMs() < untilMs) return null
    try {
      const answer = await engine.run(question, path, { limitMs: limitMs[question] })
      rests.delete(path)
      return answer
    } catch (error) {
      if (error instanceof EngineSilent) rest(path, error)
      else if (!(error instanceof EngineEnded)) log.warn({ err: error }, 'a disk query failed')
      return null
    }
  }

  return {
    ask(question, path) {
      if (inTurn.pendingCount >= waitingMax) return Promise.resolve(null)
      return inTurn(() => askNow(question, path))
    },
    stop: () => void engine.stop(),
  }
}
