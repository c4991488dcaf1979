import type { Logger } from '../../lib/log.ts'
import { Engine } from '../host.ts'
import type { LogScan, LogScanProgress } from './contract.ts'
import type { LogScanJobs } from './log-scan.worker.ts'

/** A worker of its own, so that a scan of all logs never delays the reading of new lines. */
export function createLogScan(log: Logger): LogScan {
  const engine = new Engine<LogScanJobs>({
    name: 'log-scan',
    script: new URL('./log-scan.worker.ts', import.meta.url).href,
    log,
    hasSmallHeap: true,
  })
  return {
    repeatedMisses: (request, { signal, ...run }) =>
      engine
        .run('repeatedMisses', request, {
          signal,
          // The job reports exactly this shape; across the thread it is plain data.
          progress: (report) => run.progress(report as unknown as LogScanProgress),
        })
        // Nobody else uses the worker: what it collected is given back.
        .finally(() => engine.kill('the log scan is over')),
    stop: () => engine.kill('the log scan was stopped'),
  }
}
