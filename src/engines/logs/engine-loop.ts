import type { Database } from 'bun:sqlite'
import pLimit from 'p-limit'
import { Pause, takeTurns } from '../../core/lib/pause.ts'
import { emptySpeeds, type ProcessOutcome, type ProcessProgress } from './contract.ts'
import type { IngestStatus, SpeedSnapshot } from './wire.ts'
import type { JobContext } from '../engine.ts'
import type { EngineLog, IngestConfig, ReadCounts, StartAt } from './ingest-config.ts'
import { LogIngest } from './ingest.ts'
import { describeSource, movePosition, noteRun, unreadableLinesOf } from './positions.ts'
import { logRetentionStatus, applyLogRetention } from './log-retention/log-retention.ts'
import type { LogRetentionInput } from './log-retention/wire.ts'
import { removeLeftovers, removeLines } from './changes/removal.ts'
import { deleteLogs } from './changes/delete-logs.ts'
import type { RemovalProgress, RemovalRequest } from './changes/removal-contract.ts'
import { reopened, reopenWanted } from './changes/replace.ts'
import type { PrefillRun, SeenMark } from './downloads/prefill-runs.ts'
import type { ShipperStatus } from '../shipper/shipper.ts'
import { untilShipped } from './shipped.ts'
import type { Source } from './files/series.ts'

const speedsEveryMs = 500
/** Longer than any batch takes. */
const stuckMs = 120_000
const progressEveryMs = 250
const waitingText = 'Log reading begins when the first-run set-up is completed'
const mebibyte = 1024 * 1024
/** Log bytes between two garbage collections during heavy reading. */
const collectEveryBytes = 128 * mebibyte
/** Changed rows of the store between two: some thousand downloads, stored or sent. */
const collectEveryRows = 40_000

export interface LoopEvents {
  speeds(snapshot: SpeedSnapshot): void
  /** Called after a batch that wrote rows, so that they can be shipped. */
  committed(): void
  /** A file that the proxy writes to was replaced or deleted. */
  reopenWanted(mark: string): void
  /** The cache has logged a heartbeat with the mark of a run of prefill. */
  markSeen?(seen: SeenMark): void
}

/** Runs batches continuously, and other requests between them. */
export class EngineLoop {
  readonly ingest: LogIngest
  /** Time zone of log times without one. */
  readonly timeZone: string
  readonly #pollMs: number
  readonly #log: EngineLog
  readonly #events: LoopEvents
  #isStopping = false
  #isRunning = false
  readonly #pause = new Pause()
  #running: Promise<void> = Promise.resolve()
  readonly #inTurn = pLimit(1)
  #askedMark = ''
  readonly #madeAtMs = Date.now()
  readonly #between: (() => void)[] = []
  #wasActive = false
  /** Bytes read and rows changed at the last garbage collection. */
  #collectedAt = { bytes: 0, rows: 0 }
  readonly #changedRows: () => number
  #speedTimer: ReturnType<typeof setInterval> | null = null

  constructor(
    database: Database,
    { config, log, events }: { config: IngestConfig; log: EngineLog; events: LoopEvents },
  ) {
    this.ingest = new LogIngest(database, config, log)
    const changes = database.prepare('SELECT total_changes() AS rows')
    this.#changedRows = () => (changes.get() as { rows: number }).rows
    this.timeZone = config.timeZone ?? 'UTC'
    const folders = config.datasources.map(({ logPath }) => logPath)
    removeLeftovers(folders, log)
    this.#log = log
    this.#pollMs = config.ingest.pollMs
    this.#events = events
    this.ingest.prefillRuns.onMark = (seen) => events.markSeen?.(seen)
  }

  start(): void {
    if (this.#isRunning) return
    this.#isRunning = true
    this.#running = this.#run()
    this.#speedTimer = setInterval(() => this.#pushSpeeds(), speedsEveryMs)
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    if (this.#speedTimer !== null) clearInterval(this.#speedTimer)
    this.#hurry()
    await this.#running
    this.ingest.close()
  }

  /** Runs `job` between two batches. */
  between<T>(job: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#between.push(() => {
        try {
          resolve(job())
        } catch (error) {
          reject(error)
        }
      })
      this.#hurry()
    })
  }

  /** Something waits for the end of this batch, or of the pause after it. */
  #hurry(): void {
    this.ingest.endBatch()
    this.#pause.end()
  }

  setPrefillRuns(runs: readonly PrefillRun[]): Promise<void> {
    return this.between(() => this.ingest.setPrefillRuns(runs))
  }

  setSlices(sliceBytes: Readonly<Record<string, number>>): Promise<void> {
    return this.between(() => this.ingest.accumulator.reuse.setSlices(sliceBytes))
  }

  positions() {
    return this.between(() =>
      this.ingest.sources.map((source) => describeSource(this.ingest, source)),
    )
  }

  async setPosition(datasource: string | null, to: StartAt): Promise<number> {
    const { ingest } = this
    const { firstStart } = ingest
    const mine = () =>
      ingest.sources.filter(({ config }) => datasource === null || config.name === datasource)
    await this.between(() => {
      for (const source of mine()) {
        if (firstStart.isWaiting) firstStart.choose(source.config.name, to)
        source.nextDiscoveryMs = 0
      }
    })
    // The batch in between listed the files; new ones are at their end if reading starts there.
    return this.between(() =>
      mine().reduce((sum, source) => sum + movePosition(ingest, source, to), 0),
    )
  }

  /** The set-up was completed; only a new installation waits for that. */
  beginReading(): Promise<void> {
    return this.between(() => {
      this.ingest.firstStart.begin()
      // A folder that was missing is looked for at once.
      for (const source of this.ingest.sources) source.nextDiscoveryMs = 0
    })
  }

  /** Removes lines from the files of a datasource; see `removeLines`. */
  removeLines(request: RemovalRequest, context: JobContext<RemovalProgress>) {
    return this.#alone(() => removeLines(this, request, context))
  }

  /** Deletes the log files of a datasource; see `deleteLogs`. */
  deleteLogs(datasource: string) {
    return this.#alone(() => deleteLogs(this, datasource))
  }

  logRetentionStatus(input: LogRetentionInput) {
    return logRetentionStatus(this, input)
  }

  applyLogRetention(input: LogRetentionInput, context: JobContext) {
    return this.#alone(() => applyLogRetention(this, input, context))
  }

  untilShipped(withinMs: number, context: JobContext) {
    return untilShipped(this.ingest.outbox, withinMs, context)
  }

  /** The proxy reopened its logs in response to this mark. */
  reopened(mark: string): Promise<void> {
    return this.between(() => reopened(this.ingest.store, mark))
  }

  /** Jobs that change log files run one after the other. */
  #alone<T>(job: () => Promise<T>): Promise<T> {
    return this.#inTurn(() => {
      // Logs may be the only source left to count from.
      if (this.ingest.hold !== null) throw new Error(this.ingest.hold)
      if (this.ingest.firstStart.isWaiting) throw new Error(waitingText)
      return job()
    })
  }

  /**
   * Waits until everything known is read. The loop reads anyway; this only reports, and can be
   * cancelled. A new installation begins to read.
   */
  async process(
    datasource: string | null,
    context: JobContext<ProcessProgress>,
  ): Promise<ProcessOutcome> {
    const { ingest } = this
    const names = ingest.sources.map(({ config }) => config.name)
    const mine = names.filter((name) => datasource === null || name === datasource)
    // A failure recreates the sources, so they are looked up each time.
    const sources = () => ingest.sources.filter(({ config }) => mine.includes(config.name))
    const startedMs = performance.now()
    const before = sumOf(mine.map((name) => ingest.readOf(name)))
    const unreadable = new Map(sources().map((one) => [one, unreadableLinesOf(ingest, one)]))
    const backlog = () => sources().reduce((sum, one) => sum + ingest.backlogBytes(one), 0)
    const finish = (status: ProcessOutcome['terminalStatus']): ProcessOutcome => {
      const now = sumOf(mine.map((name) => ingest.readOf(name)))
      const { mbProcessed, mbTotal } = progressOf(now, before, backlog())
      return {
        terminalStatus: status,
        mbProcessed,
        mbTotal,
        entriesProcessed: now.entries - before.entries,
        linesProcessed: now.lines - before.lines,
        elapsedMs: Math.round(performance.now() - startedMs),
      }
    }
    await this.beginReading()
    // One full batch after the discovery, so that the backlog is known.
    await this.between(() => {})
    await this.between(() => {})
    for (let left = backlog(); left > 0 || context.isCancelled(); left = backlog()) {
      const isFailed = isStandstill(ingest.state) || this.#isStopping
      if (context.isCancelled() || isFailed) {
        const status = isFailed ? 'failed' : 'cancelled'
        if (ingest.state !== 'following') for (const name of mine) ingest.givenUp.add(name)
        this.#note(sources(), status)
        return finish(status)
      }
      context.progress(progressOf(sumOf(mine.map((name) => ingest.readOf(name))), before, left))
      await Bun.sleep(progressEveryMs)
    }
    return finish(await this.between(() => this.#ended(sources(), unreadable)))
  }

  /** The worst outcome among the sources' runs. */
  #ended(sources: Source[], before: Map<Source, number>): ProcessOutcome['terminalStatus'] {
    const { ingest } = this
    const statuses = sources.map((source) => {
      const hasErrors = describeSource(ingest, source).filesWithErrors.length > 0
      const unreadable = unreadableLinesOf(ingest, source)
      const hasWarnings = unreadable > (before.get(source) ?? 0)
      const finished = hasWarnings ? 'completed_with_warnings' : 'completed'
      const status = hasErrors ? 'partial' : finished
      this.#note([source], status)
      return status
    })
    if (statuses.includes('partial')) return 'partial'
    return statuses.includes('completed_with_warnings') ? 'completed_with_warnings' : 'completed'
  }

  #note(sources: Source[], status: ProcessOutcome['terminalStatus']): void {
    try {
      for (const source of sources) noteRun(this.ingest, source, status)
    } catch (error) {
      this.#log.warn('could not record the end of a run', { error: String(error) })
    }
  }

  countedRequests(): { datasource: string; byService: Record<string, number> }[] {
    const rows = this.ingest.store.requestsByService()
    return this.ingest.sources.map(({ config: { name } }) => ({
      datasource: name,
      byService: Object.fromEntries(
        rows.filter((row) => row.datasource === name).map((row) => [row.service, row.requests]),
      ),
    }))
  }

  /** `shipped` comes from the separate shipper, `mismatch` from the link's keeper. */
  status(shipped: ShipperStatus, mismatch: IngestStatus['mismatch'] = null): IngestStatus {
    const { ingest } = this
    const nowMs = Date.now()
    const waiting = ingest.outbox.status(performance.now())
    const backlogBytes = ingest.sources.reduce((sum, one) => sum + ingest.backlogBytes(one), 0)
    // The wait of rows from an earlier run starts anew with this one.
    const waitingSince =
      waiting.oldestMs === null ? null : Math.max(waiting.oldestMs, this.#madeAtMs)
    return {
      state: ingest.state,
      message: ingest.message,
      mismatch,
      backlogBytes,
      firstReadPercent: this.#firstReadPercent(backlogBytes),
      lagMs: ingest.lagMs(nowMs),
      outbox: {
        downloads: waiting.downloads,
        trafficRows: waiting.trafficRows,
        lagSeconds: waiting.oldestMs === null ? 0 : Math.max(0, (nowMs - waiting.oldestMs) / 1000),
        bytes: waiting.bytes,
        lastShippedAt: shipped.lastShippedAt?.toISOString() ?? null,
        lastError: shipped.lastError,
        isStuck: isStuck(waitingSince, shipped, nowMs),
        quarantined: ingest.outbox.quarantine.count,
      },
      limits: ingest.limits.list(),
    }
  }

  /** Of this process, until a run of any datasource has ended. */
  #firstReadPercent(backlogBytes: number): number | null {
    const { sources, runs, state, total } = this.ingest
    const hasEnded = sources.some(({ config }) => runs.of(config.name) !== '')
    if (hasEnded || !isBeforeEnd(state)) return null
    return (100 * total.bytes) / Math.max(total.bytes + backlogBytes, 1)
  }

  async #run(): Promise<void> {
    let wasMore = false
    while (!this.#isStopping) {
      for (const job of this.#between.splice(0)) job()
      this.#askToReopen()
      const before = this.ingest.total.bytes
      const isMore = await this.ingest.pass()
      // The end of a backlog is sealed, even by a batch that has read nothing more.
      if (this.ingest.total.bytes > before || wasMore) this.#events.committed()
      wasMore = isMore
      // What the last batch committed is on its way before the garbage goes.
      await takeTurns()
      this.#collect(isMore)
      if (!isMore) await this.#sleep()
    }
    for (const job of this.#between) job()
  }

  /** Asks once; a restart asks again. */
  #askToReopen(): void {
    const mark = reopenWanted(this.ingest.store)
    if (mark !== '' && mark !== this.#askedMark) this.#events.reopenWanted(mark)
    this.#askedMark = mark
  }

  /**
   * Reading produces garbage faster than the runtime collects it, and so does shipping; this keeps
   * memory constant.
   */
  #collect(isMore: boolean): void {
    const { bytes } = this.ingest.total
    const rows = this.#changedRows()
    const { bytes: collectedBytes, rows: collectedRows } = this.#collectedAt
    const hasRead = bytes - collectedBytes >= (isMore ? collectEveryBytes : mebibyte)
    if (!hasRead && rows - collectedRows < collectEveryRows) return
    this.#collectedAt = { bytes, rows }
    Bun.gc(true)
  }

  #sleep(): Promise<void> {
    if (this.#isStopping || this.#between.length > 0) return Promise.resolve()
    return this.#pause.wait(this.#pollMs)
  }

  /** While active, and exactly once after the end. */
  #pushSpeeds(): void {
    const nowMs = Date.now()
    const snapshot = this.ingest.speeds.snapshot(nowMs)
    if (!snapshot.hasActiveDownloads && !this.#wasActive) return
    this.#wasActive = snapshot.hasActiveDownloads
    this.#events.speeds(snapshot.hasActiveDownloads ? snapshot : emptySpeeds(new Date(nowMs)))
  }
}

/** Rows have been queued for too long while none was sent. */
function isStuck(sinceMs: number | null, shipped: ShipperStatus, nowMs: number): boolean {
  if (sinceMs === null) return false
  if (shipped.lastError !== null) return true
  return nowMs - Math.max(sinceMs, shipped.lastShippedAt?.getTime() ?? 0) > stuckMs
}

const sumOf = (counts: ReadCounts[]): ReadCounts =>
  counts.reduce(
    (sum, one) => ({
      entries: sum.entries + one.entries,
      lines: sum.lines + one.lines,
      bytes: sum.bytes + one.bytes,
    }),
    { entries: 0, lines: 0, bytes: 0 },
  )

const isStandstill = (state: IngestStatus['state']): boolean =>
  ['mismatch', 'storage_failed', 'storage_damaged'].includes(state)

/** Nothing stands in the way of reaching the end of the logs. */
const isBeforeEnd = (state: IngestStatus['state']): boolean =>
  ['awaiting_setup', 'starting', 'reading'].includes(state)

const inMegabytes = (bytes: number): number => Math.round((bytes / mebibyte) * 10) / 10

function progressOf(now: ReadCounts, before: ReadCounts, left: number): ProcessProgress {
  const done = now.bytes - before.bytes
  return {
    percentComplete: Math.min(100, (done / (done + left)) * 100),
    mbProcessed: inMegabytes(done),
    mbTotal: inMegabytes(done + left),
    entriesProcessed: now.entries - before.entries,
    totalLines: now.lines - before.lines,
  }
}
