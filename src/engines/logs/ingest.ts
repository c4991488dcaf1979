import type { Database } from 'bun:sqlite'
import { isDamage } from '../../../db/damage.ts'
import { Accumulator } from './downloads/accumulator.ts'
import { Backfill } from './backfill.ts'
import { openSource, CompressedSource, PlainSource } from './files/byte-source.ts'
import { readChunk } from './chunk.ts'
import type { IngestStatus } from './wire.ts'
import { Line } from './lines/line.ts'
import { LineReader } from './lines/line-reader.ts'
import { isEmpty } from './downloads/gathered.ts'
import { FirstStart } from './first-start.ts'
import { nothingRead, type EngineLog, type IngestConfig, type ReadCounts } from './ingest-config.ts'
import { ReachedLimits } from './limits.ts'
import { LineSamples } from './lines/line-samples.ts'
import { noLines } from './lines/outcome.ts'
import { HotOutbox } from './outbox.ts'
import {
  backlogBytes,
  changedCounts,
  closeReader,
  hasGrown,
  lagOf,
  newSource,
  type Place,
  type Reader,
  type Series,
  type Source,
} from './files/series.ts'
import { noteRun } from './positions.ts'
import { recoverReplacement } from './changes/replace.ts'
import { RunNotes } from './runs.ts'
import { PrefillRuns, type PrefillRun } from './downloads/prefill-runs.ts'
import { SpeedWindow } from './downloads/speed-window.ts'
import { LogStore } from './store.ts'
import { Tracker } from './files/tracker.ts'
import { errorText } from '../../core/lib/error-text.ts'
import { takeTurns } from '../../core/lib/pause.ts'

const chunkBytes = 1024 * 1024
/** Bytes read between two commits, each of which writes every download that has grown. */
const batchBytes = 32 * chunkBytes
/**
 * A log in which every line adds rows is committed and sealed after each chunk: the rows of a batch
 * are in memory several times while it is sent.
 */
const maxRowsPerCommit = 5000
const firstRetryMs = 500
const lastRetryMs = 30_000

/** Reads logs into the store, one bounded batch at a time. One per `hot.sqlite`. */
export class LogIngest {
  readonly store: LogStore
  readonly outbox: HotOutbox
  readonly speeds = new SpeedWindow()
  readonly limits = new ReachedLimits()
  readonly firstStart: FirstStart
  readonly sources: Source[]
  tracker: Tracker
  state: IngestStatus['state'] = 'starting'
  message: string | null = null
  /** Why reading is paused; see `holdReading`. */
  hold: string | null = null
  readonly prefillRuns: PrefillRuns
  readonly runs: RunNotes
  /** Read since the start, in total and by datasource. */
  readonly total = nothingRead()
  /** Datasources whose current catch-up was recorded as cancelled or failed. */
  readonly givenUp = new Set<string>()
  /** Bytes read when the last run was recorded. */
  readonly #notedBytes = new Map<string, number>()
  readonly #readBySource = new Map<string, ReadCounts>()
  accumulator: Accumulator
  #reader: LineReader
  readonly #config: IngestConfig
  readonly #log: EngineLog
  readonly #samples: LineSamples
  readonly #buffer = new Uint8Array(chunkBytes)
  readonly #backfill = new Backfill({
    buffer: this.#buffer,
    hasBudget: () => this.#budget > 0,
    parse: (at, length, isInside) => this.#parse(at, length, isInside),
  })
  #turn = 0
  #budget = 0
  #isEnding = false
  #failures = 0
  #pausedUntilMs = 0
  #behindSinceMs: number | null = performance.now()

  constructor(database: Database, config: IngestConfig, log: EngineLog) {
    this.store = new LogStore(database)
    this.outbox = new HotOutbox(database)
    this.runs = new RunNotes(this.store)
    this.firstStart = new FirstStart(this.store, this.outbox.link, config)
    recoverReplacement(this.store)
    this.#config = config
    this.prefillRuns = new PrefillRuns(config.prefillRuns ?? [])
    this.#reader = this.#newReader()
    this.#log = log
    this.#samples = new LineSamples((text, facts) => log.warn(text, facts))
    this.accumulator = this.#newAccumulator()
    this.tracker = this.#newTracker()
    this.sources = config.datasources.map(newSource)
  }

  lagMs(nowMs: number): number {
    const waitedMs = this.#behindSinceMs === null ? 0 : performance.now() - this.#behindSinceMs
    return lagOf(this.sources, nowMs, nowMs - waitedMs)
  }

  readOf(datasource: string): ReadCounts {
    return this.#readBySource.getOrInsertComputed(datasource, nothingRead)
  }

  backlogBytes(source: Source): number {
    return backlogBytes(source, this.tracker.wanted(source.config.name))
  }

  /**
   * One batch: discovers, reads, commits. True when there is more to read at once. Never throws for
   * file or store errors; they become the state, and no position advances.
   */
  async pass(): Promise<boolean> {
    this.#isEnding = false
    if (performance.now() < this.#pausedUntilMs || this.hold !== null) return false
    try {
      return await this.#pass(Date.now())
    } catch (error) {
      this.#fail(error)
      return false
    }
  }

  /** Commits after the current chunk, or the first one. */
  endBatch(): void {
    this.#isEnding = true
  }

  /** Pauses reading after the current batch; null resumes it. */
  holdReading(reason: string | null): void {
    if (reason !== null) Object.assign(this, { state: 'mismatch', message: reason })
    else if (this.hold !== null) Object.assign(this, { state: 'starting', message: null })
    this.hold = reason
  }

  /** Writes pending rows and closes the files. */
  close(): void {
    try {
      const isFine = !['storage_failed', 'storage_damaged'].includes(this.state)
      if (this.hold === null && isFine) this.#commit(Date.now())
    } catch (error) {
      this.#log.warn('last commit failed; its lines are read again', { error: String(error) })
    }
    this.#closeFiles()
    this.state = 'stopped'
  }

  async #pass(nowMs: number): Promise<boolean> {
    const elapsedMs = performance.now()
    for (const source of this.sources) await this.tracker.discover(source)
    this.#samples.tick(elapsedMs)
    const waitingBytes = this.outbox.status(elapsedMs).bytes
    const isFull = waitingBytes > this.#config.ingest.outboxMaxMb * 1024 * 1024
    let isMore = false
    if (!isFull && !this.firstStart.isWaiting) {
      this.speeds.prepare(nowMs)
      isMore = await this.#read(nowMs)
    }
    for (const source of this.sources) {
      for (const series of source.series.values()) this.tracker.retire(series, nowMs)
    }
    this.#commit(nowMs)
    this.#failures = 0
    const wasBehind = this.state !== 'following'
    this.#settle(isFull, isMore)
    if (wasBehind && this.state === 'following') this.#caughtUp()
    if (this.#reader.isFull) this.accumulator.forgetNames(this.#reader)
    return isMore
  }

  /** Call between two batches. */
  setPrefillRuns(runs: readonly PrefillRun[]): void {
    this.prefillRuns.replace(runs)
    this.accumulator.forgetNames(this.#reader)
  }

  /** A catch-up that read something is a run, unless it was watched and cancelled. */
  #caughtUp(): void {
    for (const source of this.sources) {
      const { name } = source.config
      const { bytes } = this.readOf(name)
      const isNew = bytes > (this.#notedBytes.get(name) ?? 0) || this.runs.of(name) === ''
      if (isNew && !this.givenUp.has(name)) noteRun(this, source)
      this.#notedBytes.set(name, bytes)
    }
    this.givenUp.clear()
    this.outbox.sealRest()
  }

  #settle(isFull: boolean, isMore: boolean): void {
    if (isFull) this.state = 'paused_outbox_full'
    else if (this.firstStart.isWaiting) this.state = 'awaiting_setup'
    else this.state = isMore ? 'reading' : 'following'
    this.message = isFull ? 'too many rows wait for the history database' : null
    if (!isMore && !isFull) this.#behindSinceMs = null
    else this.#behindSinceMs ??= performance.now()
  }

  async #read(nowMs: number): Promise<boolean> {
    this.#budget = batchBytes
    this.#turn++
    const first = this.#turn % Math.max(1, this.sources.length)
    for (const source of [...this.sources.slice(first), ...this.sources.slice(0, first)]) {
      for (const series of source.series.values()) {
        const before = this.#budget
        for (const reader of series.readers) {
          await this.#drain(source, series, reader)
          if (this.#budget <= 0) break
        }
        if (this.#budget < before && this.state === 'following') {
          this.speeds.delivered(series.lane.name, nowMs)
        }
        if (this.#budget <= 0) return true
      }
    }
    return this.#backfill.read(this.sources, this.tracker)
  }

  async #drain(source: Source, series: Series, reader: Reader): Promise<void> {
    const { member, file } = reader
    if (member.state !== 'open') return
    try {
      if (file.compression === 'none' && !hasGrown(reader)) return
      reader.source ??= openSource(file.path, file.compression)
      if (reader.source instanceof PlainSource && !this.#isSameFile(reader, source)) return
      while (this.#budget > 0) {
        const length = await reader.source.read(this.#buffer, member.offset)
        if (reader.source instanceof PlainSource && !reader.source.begins(member.head)) {
          this.#rediscover(source, reader)
          return
        }
        const done = this.#take({ source, series, reader }, length)
        if (length < chunkBytes || done === 0) {
          this.#atEnd(reader, { length, done })
          return
        }
        // Batches for the history are sent meanwhile.
        await takeTurns()
      }
    } catch (error) {
      // Other errors may have left half a chunk in memory: start over.
      if (!(error instanceof Error) || !('syscall' in error)) throw error
      this.tracker.noteFault(source, file.name, error)
      closeReader(reader)
    }
  }

  #take(at: Place, length: number): number {
    if (length === 0) return 0
    const { member } = at.reader
    const result = this.#parse({ ...at, isBackfill: false }, length, member.isInsideLongLine)
    member.offset += result.consumed
    member.lines += result.lines
    member.isInsideLongLine = result.isInsideLongLine
    if (result.consumed > 0) this.tracker.dirty.add(member)
    return result.consumed
  }

  #parse(at: Place & { isBackfill: boolean }, length: number, isInsideLongLine: boolean) {
    const { hint, counts } = at.series
    const { name } = at.source.config
    const lane = at.isBackfill ? at.series.backfill : at.series.lane
    const before = counts.parsedLines
    const result = readChunk(
      {
        accumulator: this.accumulator,
        reader: this.#reader,
        lane,
        hint,
        counts,
        sample: (outcome, text) =>
          this.#samples.add(`${name}/${at.reader.member.name}`, outcome, text, performance.now()),
      },
      this.#buffer.subarray(0, length),
      isInsideLongLine,
    )
    const entries = counts.parsedLines - before
    for (const total of [this.total, this.readOf(name)]) {
      total.entries += entries
      total.lines += result.lines
      total.bytes += result.consumed
    }
    const isFull = this.accumulator.changedCount > maxRowsPerCommit
    this.#budget = isFull || this.#isEnding ? 0 : this.#budget - result.consumed
    return result
  }

  #isSameFile(reader: Reader, source: Source): boolean {
    if (!(reader.source instanceof PlainSource)) return true
    const { inode, device, size } = reader.source.stat()
    const isSame = inode === reader.file.inode && device === reader.file.device
    if (isSame && size >= reader.member.offset) return true
    this.#rediscover(source, reader)
    return false
  }

  #rediscover(source: Source, reader: Reader): void {
    closeReader(reader)
    reader.exhaustedAt = -1
    source.nextDiscoveryMs = 0
  }

  #atEnd(reader: Reader, { length, done }: { length: number; done: number }) {
    const { member, file } = reader
    reader.hasIncompleteLine = length > done
    if (file.compression === 'none') {
      reader.exhaustedAt = member.offset + length - done
      return
    }
    const error = reader.source instanceof CompressedSource ? reader.source.error : null
    member.error = error === null ? null : error.message
    if (error !== null)
      this.#log.warn('log file ends early', { file: file.name, error: error.message })
    Object.assign(member, { state: 'complete', sizeBytes: file.size, modifiedMs: file.modifiedMs })
    this.tracker.dirty.add(member)
    closeReader(reader)
  }

  #commit(nowMs: number): void {
    const gathered = this.accumulator.gather()
    gathered.samples = this.accumulator.reuse.take()
    const changed = changedCounts(this.sources)
    const { dirty } = this.tracker
    const skipped = this.#backfill.touched
    if (isEmpty(gathered) && changed.length + dirty.size + skipped.size === 0) return
    this.store.commit({ members: dirty, skipped, counts: changed, gathered, nowMs })
    this.outbox.sealWhenFull(this.state === 'reading')
    dirty.clear()
    skipped.clear()
    for (const { counts: lines } of changed) Object.assign(lines, noLines())
    this.tracker.dropFinished()
  }

  /** Discards memory and restarts from the store after a delay. */
  #fail(error: unknown): void {
    const pauseMs = Math.min(lastRetryMs, firstRetryMs * 2 ** this.#failures)
    this.#failures = Math.min(this.#failures + 1, 10)
    this.#pausedUntilMs = performance.now() + pauseMs
    this.state = isDamage(error) ? 'storage_damaged' : 'storage_failed'
    this.message = errorText(error)
    this.#behindSinceMs ??= performance.now()
    this.#log.warn('log ingestion failed; retrying', { error: this.message, pauseMs })
    try {
      this.reload()
    } catch (reloadError) {
      this.#log.warn('the store cannot be read', { error: String(reloadError) })
    }
  }

  /** Call between two batches, when the store may have been replaced. */
  reload(): void {
    this.#closeFiles()
    this.firstStart.reload()
    recoverReplacement(this.store)
    this.#reader = this.#newReader()
    this.#backfill.touched.clear()
    this.accumulator = this.#newAccumulator()
    this.tracker = this.#newTracker()
    this.sources.splice(0, Infinity, ...this.#config.datasources.map(newSource))
  }

  #closeFiles(): void {
    this.#backfill.close()
    for (const source of this.sources) {
      for (const series of source.series.values()) series.readers.forEach(closeReader)
    }
  }

  #newReader(): LineReader {
    const { timeZone, prefillClients } = this.#config
    return new LineReader(new Line(timeZone, prefillClients, this.prefillRuns))
  }

  #newAccumulator(): Accumulator {
    const { store, speeds, limits } = this
    return new Accumulator({ store, speeds, config: this.#config, note: limits.note })
  }

  #newTracker(): Tracker {
    return new Tracker({
      store: this.store,
      accumulator: this.accumulator,
      note: this.limits.note,
      names: new Set(this.#config.datasources.map(({ name }) => name)),
      start: this.firstStart,
      remembersStart: this.outbox.link.remembersStart(),
      warn: (text, facts) => this.#log.warn(text, facts),
    })
  }
}
