import type { Clock } from '../../core/lib/clock.ts'
import type { Logger } from '../../core/lib/log.ts'
import type { Timers } from '../../core/lib/timers.ts'
import type { Launch } from '../engine.ts'
import { Engine, EngineFailure, EngineSilent } from '../host.ts'
import type { LogFile } from '../logs/files/discovery.ts'
import type {
  CountRequest,
  FileCount,
  UncountedFile,
  LineCountsOfSource,
  LogListing,
} from './count-contract.ts'
import { CountMemory } from './count-memory.ts'
import type { LogScanJobs } from './jobs.ts'
import { SourceSum } from './source-sum.ts'

/** A disk silent for this long is given up; one that has to spin up takes ten seconds. */
const silentMs = 20_000
/** An unresponsive file or folder is skipped for this long. */
const restMs = 5 * 60_000
/**
 * How long the worker waits for another count; starting one costs more than checking unchanged
 * files. Shorter than the dashboard's polling interval, so that its memory is freed in between.
 */
const idleMs = 20_000
/** Unresponsive files after which the rest of the folder is skipped, too. */
const silentFilesMax = 3

export interface LineCounterParts {
  log: Logger
  clock: Clock
  timers: Timers
  /** Overrides the worker, for tests of a disk that hangs. */
  script: string
  launch?: Launch | undefined
}

type Turn = { isAborted: () => boolean; signal: AbortSignal }

/**
 * Counts the lines of log files by service. The count of an unchanged file is reused, and that of a
 * file that has only grown is continued. The worker reads one file at a time; when a disk does not
 * answer, the worker is terminated, the file skipped for a while and the others counted.
 */
export class LineCounter {
  readonly #parts: LineCounterParts
  readonly #engine: Engine<LogScanJobs>
  readonly #memory = new CountMemory()
  /** Unresponsive paths, and until when they are skipped. */
  readonly #resting = new Map<string, number>()
  #isStopped = false

  constructor(parts: LineCounterParts) {
    const { log, script, timers, launch } = parts
    this.#parts = parts
    const worker = { script, log, timers, launch, hasSmallHeap: true, idleMs }
    this.#engine = new Engine<LogScanJobs>({ ...worker, name: 'log-counts' })
  }

  /** One result per source; null when cancelled. Never rejects for disk errors. */
  async count(request: CountRequest, signal: AbortSignal): Promise<LineCountsOfSource[] | null> {
    const turn = { signal, isAborted: () => signal.aborted || this.#isStopped }
    const seen = new Set<string>()
    const counted: LineCountsOfSource[] = []
    for (const { name, logPath } of request.sources) {
      const place = { name, logPath, timeZone: request.timeZone, seen }
      const sum = await this.#countSource(place, turn)
      if (turn.isAborted()) return null
      counted.push(sum.result())
    }
    this.#memory.keepOnly(seen)
    return counted
  }

  stop(): void {
    this.#isStopped = true
    void this.#engine.stop()
  }

  async #countSource(place: Place, turn: Turn): Promise<SourceSum> {
    const sum = new SourceSum(place.name)
    const listing = await this.#list(place.logPath, turn)
    listing.uncounted.forEach((one) => sum.addUncounted(one))
    let silentFiles = 0
    for (const file of listing.files) {
      if (turn.isAborted()) break
      const key = `${file.device}:${file.inode}`
      // A file shared by two datasources counts for both.
      place.seen.add(key)
      let count = this.#memory.get(key)
      const isAsBefore = count?.size === file.size && count.modifiedMs === file.modifiedMs
      if (count === null || !count.isComplete || !isAsBefore) {
        if (silentFiles >= silentFilesMax || this.#rests(file.path)) {
          sum.addUncounted({ file: file.name, reason: 'no_answer' })
          continue
        }
        const answer = await this.#countFile({ file, known: count, place }, turn)
        if (answer === 'gone') continue
        if (typeof answer === 'string') {
          if (answer === 'no_answer') silentFiles++
          sum.addUncounted({ file: file.name, reason: answer })
          continue
        }
        count = answer
        this.#memory.set(key, count)
      }
      sum.add(file.name, count)
    }
    return sum
  }

  async #list(logPath: string, turn: Turn): Promise<LogListing> {
    const none = (reason: UncountedFile['reason']) => ({
      files: [],
      uncounted: [{ file: null, reason }],
    })
    if (this.#rests(logPath)) return none('no_answer')
    const answer = await this.#ask(logPath, turn, (options) =>
      this.#engine.run('listLogs', { logPath }, options),
    )
    return typeof answer === 'string' ? none(answer) : answer
  }

  async #countFile(
    { file, known, place }: { file: LogFile; known: FileCount | null; place: Place },
    turn: Turn,
  ): Promise<FileCount | 'gone' | 'no_answer' | 'disk_error'> {
    const { logPath, timeZone } = place
    const answer = await this.#ask(file.path, turn, (options) =>
      this.#engine.run('countFile', { file, logPath, timeZone, known }, options),
    )
    return answer ?? 'gone'
  }

  /** The worker's answer, unless it is silent for too long or dies. */
  async #ask<T>(
    path: string,
    { signal, isAborted }: Turn,
    job: (options: { signal: AbortSignal; limitMs: number }) => Promise<T>,
  ): Promise<T | 'no_answer' | 'disk_error'> {
    const { clock, log } = this.#parts
    try {
      return await job({ signal, limitMs: silentMs })
    } catch (error) {
      if (!(error instanceof EngineFailure)) throw error
      if (!(error instanceof EngineSilent)) {
        if (!isAborted()) log.warn({ err: error }, 'log lines could not be counted')
        return 'disk_error'
      }
      this.#resting.set(path, clock.elapsedMs() + restMs)
      log.warn(
        { path, seconds: restMs / 1000 },
        'reading a log file takes too long; retrying later',
      )
      return 'no_answer'
    }
  }

  #rests(path: string): boolean {
    const isResting = this.#parts.clock.elapsedMs() < (this.#resting.get(path) ?? 0)
    if (!isResting) this.#resting.delete(path)
    return isResting
  }
}

interface Place {
  name: string
  logPath: string
  timeZone: string
  /** Files of this run, by identity. */
  seen: Set<string>
}
