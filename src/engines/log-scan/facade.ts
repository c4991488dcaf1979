/*
 * Reads log files for questions, in a worker that touches no read position: lines by service,
 * repeated misses, suspects of the doctor.
 *
 * Repeatedly missed slices. A group of misses is forgotten two minutes after its last one, so
 * memory depends on what happens in a minute, not on the length of the log. When more slices than
 * the limit are missed at once, those seen once are dropped first, and the result says how many. A
 * line that comes more than a minute late does not count; when the clock of the log goes back by
 * an hour, grouping begins again.
 *
 * A miss proves little, so everything else has to speak for damage. nginx logs the cache status of
 * the first slice of a request, so a line counts for that slice alone, not for every slice it
 * touched, as other tools count: those may have been hits. A slice that was lost is missed until
 * it is stored again, so a file that is not older than the misses, or is hit later, is healthy.
 * This holds for every key scheme, not only for whole objects. An object with `Vary` is missed
 * once for each variant, under one key; its files are not judged. The last minute with enough
 * misses decides, not the first one: a file may be damaged after it was stored anew.
 *
 * Lines by service are counted from the files, with the parser of the log engine, so an unreadable
 * line counts for no service. Counts stay in memory (20 MB at most) with the file's identity, size
 * and change time: an unchanged file is not opened, one that only grew (same beginning, same last
 * counted line) is continued, any other is counted again. A request that comes during a count gets
 * the next one, so that a removal shows at once. A file that says nothing for 20 seconds costs a
 * worker and is left alone for five minutes; three of them skip the rest of their folder.
 *
 * Suspects come from the ends of the logs. They are read twice: first into counters, then
 * everything requested at least three times is kept. Memory does not depend on how much was
 * downloaded.
 */
import { systemClock, type Clock } from '../../core/lib/clock.ts'
import type { Logger } from '../../core/lib/log.ts'
import { systemTimers, type Timers } from '../../core/lib/timers.ts'
import type { Launch } from '../engine.ts'
import { Engine } from '../host.ts'
import type { LogScan } from './contract.ts'
import type { LogScanJobs } from './jobs.ts'
import { LineCounter } from './line-counter.ts'
import { programScript } from '../../core/lib/program-files.ts'

interface LogScanOptions {
  clock?: Clock
  timers?: Timers
  /** Overrides the worker, for tests of a disk that hangs. */
  script?: string
  /** Reads on another machine. */
  launch?: (engine: 'log-scan' | 'log-tails' | 'log-counts') => Launch
}

/** Workers of their own, so that a scan of all logs never delays the ingestion. */
export function createLogScan(log: Logger, options: LogScanOptions = {}): LogScan {
  const { clock = systemClock, timers = systemTimers, launch } = options
  const script = options.script ?? programScript('engines/log-scan/log-scan.worker')
  const worker = { script, log, timers, hasSmallHeap: true, idleMs: 0 }
  const scans = new Engine<LogScanJobs>({
    ...worker,
    name: 'log-scan',
    launch: launch?.('log-scan'),
  })
  // A second one, so that short reads do not wait for a full scan.
  const tails = new Engine<LogScanJobs>({
    ...worker,
    name: 'log-tails',
    launch: launch?.('log-tails'),
  })
  const counter = new LineCounter({ log, clock, timers, script, launch: launch?.('log-counts') })

  return {
    repeatedMisses: (request, run) => scans.run('repeatedMisses', request, run),
    repeats: (request) => tails.run('repeats', request),
    hosts: (request) => tails.run('hosts', request),
    download: (request) => tails.run('download', request),
    traffic: (request) => tails.run('traffic', request),
    samples: (request) => tails.run('samples', request),
    countLines: (request, signal) => counter.count(request, signal),
    forceKill: () => scans.kill(),
    stop() {
      counter.stop()
      for (const engine of [scans, tails]) void engine.stop()
    },
  }
}
