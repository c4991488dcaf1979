import { systemClock, type Clock } from '../../core/lib/clock.ts'
import type { Logger } from '../../core/lib/log.ts'
import { systemTimers, type Timers } from '../../core/lib/timers.ts'
import { Engine } from '../host.ts'
import type { LogScan } from './contract.ts'
import type { LogScanJobs } from './jobs.ts'
import { LineCounter } from './line-counter.ts'

interface LogScanOptions {
  clock?: Clock
  timers?: Timers
  /** Overrides the worker, for tests of a disk that hangs. */
  script?: string
}

/** Workers of their own, so that a scan of all logs never delays the ingestion. */
export function createLogScan(log: Logger, options: LogScanOptions = {}): LogScan {
  const { clock = systemClock, timers = systemTimers } = options
  const script = options.script ?? new URL('./log-scan.worker.ts', import.meta.url).href
  const worker = { script, log, timers, hasSmallHeap: true, idleMs: 0 }
  const scans = new Engine<LogScanJobs>({ ...worker, name: 'log-scan' })
  // A second one, so that short reads do not wait for a full scan.
  const tails = new Engine<LogScanJobs>({ ...worker, name: 'log-tails' })
  const counter = new LineCounter({ log, clock, timers, script })

  return {
    repeatedMisses: (request, run) => scans.run('repeatedMisses', request, run),
    repeats: (request) => tails.run('repeats', request),
    hosts: (request) => tails.run('hosts', request),
    samples: (request) => tails.run('samples', request),
    countLines: (request, signal) => counter.count(request, signal),
    forceKill: () => scans.kill(),
    stop() {
      counter.stop()
      for (const engine of [scans, tails]) void engine.stop()
    },
  }
}
