import { systemClock, type Clock } from '../../core/lib/clock.ts'
import type { Logger } from '../../core/lib/log.ts'
import { systemTimers, type Timers } from '../../core/lib/timers.ts'
import { Engine } from '../host.ts'
import type { LogScan, LogScanProgress } from './contract.ts'
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
  const engine = new Engine<LogScanJobs>({ name: 'log-scan', script, log, hasSmallHeap: true })
  // A second one, so that short reads do not wait for a full scan.
  const tails = new Engine<LogScanJobs>({ name: 'log-tails', script, log, hasSmallHeap: true })
  const counter = new LineCounter({ log, clock, timers, script })
  let searches = 0

  /** Ends the worker after the last read, to free its memory. */
  async function search<T>(work: () => Promise<T>): Promise<T> {
    searches++
    try {
      return await work()
    } finally {
      searches--
      if (searches === 0) tails.kill('the search into the logs is over')
    }
  }

  return {
    repeatedMisses: (request, { signal, ...run }) =>
      engine
        .run('repeatedMisses', request, {
          signal,
          // The job reports exactly this shape, as plain data across the thread.
          progress: (report) => run.progress(report as unknown as LogScanProgress),
        })
        // Only the scan uses this worker: ending it frees its memory.
        .finally(() => engine.kill('the log scan is over')),
    repeats: (request) => search(() => tails.run('repeats', request)),
    hosts: (request) => search(() => tails.run('hosts', request)),
    countLines: (request, signal) => counter.count(request, signal),
    stop() {
      counter.stop()
      engine.kill('the log scan was stopped')
      tails.kill('the search into the logs was stopped')
    },
  }
}
