/*
 * Sends batches to the history. It runs in the log engine's worker: `hot.sqlite` has one writer,
 * and sealing and acknowledging a batch are writes. Sending is asynchronous and alternates with
 * reading.
 *
 * Downloads are sent as whole states, traffic as additions. A download row replaces an older
 * revision of itself. A batch of traffic is added once, because the history records batch ids in
 * `shipped_batch` in the same transaction. Sending either again changes nothing. A state that was
 * handed over is not sent again after a restart, because the history may have deleted the download
 * on purpose. For the same reason a removal waits, ten seconds at most, for rows on their way
 * before it deletes downloads.
 *
 * A batch is a cut. Sealing takes every waiting row together with the positions and open downloads
 * of that moment, and flushes `hot.sqlite` to the disk before anything is sent. The history writes
 * both in one transaction (`ingest_link`, `ingest_position`), so it knows where to continue. A
 * batch is sealed once a second, in a backlog every two seconds, or when 5000 rows wait (1250
 * downloads); triggers record what changed between two batches. With the positions go the states of
 * the open downloads that changed: a running download is a row that later batches update, and has the
 * bytes that the batch's traffic brought it, so that lists and sums agree after each batch. In a
 * backlog they go every ten seconds and at its end only: most of its downloads begin and end in
 * between, and are never written as open ones. A batch has at most 5000 positions of a kind, and as
 * many open downloads, so that many do not fill the memory; the next one has more. A `hot.sqlite` that
 * is lost before the last part was stored cannot take its positions from the history; then an
 * administrator chooses. Numbers of
 * batches have no gaps, even when rows that cannot be sent are missing from a batch.
 *
 * Refused rows do not block the others. A batch that the history refuses because of its rows is
 * halved until the refused row is alone; that row goes to the `quarantine` of `hot.sqlite`. Each
 * half is flushed before it is sent. A full quarantine (10 000 rows) is a fault of the history,
 * not of rows: then everything stays in the outbox.
 */
import { reachClient, type HistoryTarget } from '../../../db/history/connect.ts'
import { describeFailure, failureCode, HistoryFault } from '../../../db/history/failures.ts'
import { BackOff } from '../../core/lib/back-off.ts'
import { Pause } from '../../core/lib/pause.ts'
import { errorText } from '../../core/lib/error-text.ts'
import { orLate } from '../../core/lib/within.ts'
import { describeTitle } from '../titles/titles.ts'
import type { Outbox, Quarantine, ShipBatch } from './contract.ts'
import { faultOf } from './refusal.ts'
import { sqlHistory, type HistoryAccess } from './history-access.ts'
import { wholeHistory, type HistoryPart } from './link.ts'
import type { DescribeTitle } from '../catalogue/describe.ts'
import { RowsRefused } from './ship.ts'

const idleMs = 1000
const firstRetryMs = 500
const lastRetryMs = 30_000
const reportEveryMs = 1000
/** A statement of one batch takes milliseconds; only a blocked server takes this long. */
const statementTimeoutMs = 60_000
/** The server has no time limit while waiting for COPY data; this is one. */
const longestBatchMs = 180_000
/** Seconds that the current batch gets when the service stops. */
const closeSeconds = 3
const pruneEveryMs = 6 * 3_600_000

export interface ShipperOptions {
  outbox: Outbox
  quarantine: Quarantine
  /** Throws when nothing may be sent over a new connection. */
  check?(history: HistoryAccess): Promise<void>
  /** By default `describeTitle` of the platforms; tests may override it. */
  describeTitle?: DescribeTitle
  /** What this engine writes of the history; absent: all. */
  part?: HistoryPart
  /** Milliseconds that a batch may take. */
  batchTimeoutMs?: number
  /** Logs each change between success and failure; the shipper runs in a worker. */
  log(level: 'info' | 'warn', text: string): void
  /** Called after rows reached the history, at most once a second. */
  onShipped(): void
  /** Called with it when titles were among them that this connection had not sent before. */
  onNewTitles?(): void
}

export interface ShipperStatus {
  lastShippedAt: Date | null
  /** Null without an error. */
  lastError: string | null
}

/** A server, or another way to a history. */
type Target = HistoryTarget | { open(onClose: () => void): Promise<HistoryAccess> }

/** Sends batches from the outbox to the history; see `createShipper`. */
export interface Shipper {
  /** Call whenever the history is available, again or at another address. */
  connect(target: Target): void
  /** Rows were queued; ends the current wait. */
  kick(): void
  /** Sends nothing until `release`; resolves when the current batch is over. */
  hold(): Promise<void>
  release(): void
  /** Waits for the current batch to finish. An unfinished one is not lost: it is sent again. */
  stop(): Promise<void>
  status(): ShipperStatus
}

class OutboxShipper implements Shipper {
  readonly #options: ShipperOptions
  #target: Target | null = null
  #history: HistoryAccess | null = null
  #loop: Promise<void> | null = null
  #isStopping = false
  #isKicked = false
  /** Batches wait for `released`; null: they do not. */
  #held: { reached: PromiseWithResolvers<void>; released: PromiseWithResolvers<void> } | null = null
  #isFailing = false
  readonly #pause = new Pause()
  readonly #backOff = new BackOff(firstRetryMs, lastRetryMs)
  #reportTimer: ReturnType<typeof setTimeout> | null = null
  #reportedAt = 0
  #hasNewTitles = false
  #prunedAt = -Infinity
  #status: ShipperStatus = { lastShippedAt: null, lastError: null }

  constructor(options: ShipperOptions) {
    this.#options = options
  }

  connect(target: Target): void {
    if (this.#isStopping) return
    this.#target = target
    // A client of an earlier server is useless; its current batch fails and is sent again.
    void this.#disconnect(0)
    this.#backOff.reset()
    this.#isFailing = false
    this.kick()
    this.#loop ??= this.#run()
  }

  kick(): void {
    this.#isKicked = true
    // New rows do not mean that the history is back: keeps the wait after a failure.
    if (!this.#isFailing) this.#pause.end()
  }

  async hold(): Promise<void> {
    this.#held ??= { reached: Promise.withResolvers(), released: Promise.withResolvers() }
    this.#pause.end()
    if (this.#loop !== null) await this.#held.reached.promise
  }

  release(): void {
    this.#held?.released.resolve()
    this.#held = null
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    this.release()
    this.#pause.end()
    const loop = this.#loop ?? Promise.resolve()
    await Promise.all([loop, this.#disconnect(closeSeconds)])
    if (this.#reportTimer !== null) clearTimeout(this.#reportTimer)
  }

  status(): ShipperStatus {
    return { ...this.#status }
  }

  async #run(): Promise<void> {
    while (!this.#isStopping) {
      this.#isKicked = false
      this.#held?.reached.resolve()
      await this.#held?.released.promise
      const outcome = await this.#step()
      if (outcome === 'shipped' || outcome === 'narrowed') continue
      this.#isFailing = outcome === 'failed'
      await this.#wait(this.#isFailing ? this.#backOff.next() : idleMs)
      this.#isFailing = false
    }
  }

  /** One batch: committed there first, deleted here afterwards. Never throws. */
  async #step(): Promise<'shipped' | 'narrowed' | 'idle' | 'failed'> {
    const target = this.#target
    if (target === null) return 'idle'
    let batch: ShipBatch | null = null
    try {
      const history = (this.#history ??= await this.#open(target))
      batch = this.#options.outbox.next()
      if (batch === null) {
        await this.#prune(history)
        return 'idle'
      }
      if (await this.#ship(history, batch)) this.#hasNewTitles = true
      this.#options.outbox.acknowledge(batch)
      this.#succeeded()
      return 'shipped'
    } catch (error) {
      return this.#recover(batch, error, target)
    }
  }

  /** Returns whether titles of it were new to this connection. */
  async #ship(history: HistoryAccess, batch: ShipBatch): Promise<boolean> {
    const { batchTimeoutMs = longestBatchMs } = this.#options
    const shipped = await orLate(history.ship(batch), batchTimeoutMs, null)
    if (shipped !== null) return shipped
    const limit = `${batchTimeoutMs / 1000} seconds`
    throw new HistoryFault(`The history did not accept a batch within ${limit}`)
  }

  /** Divides a batch with refused rows at once; waits after any other error. */
  async #recover(
    batch: ShipBatch | null,
    error: unknown,
    target: Target,
  ): Promise<'narrowed' | 'failed'> {
    try {
      if (batch !== null && this.#isNarrowed(batch, error)) return 'narrowed'
      await this.#failed(error instanceof RowsRefused ? error.cause : error, target)
    } catch (later) {
      await this.#failed(later, target)
    }
    return 'failed'
  }

  /** Divides a refused batch; quarantines a single row. False: not caused by its rows. */
  #isNarrowed(batch: ShipBatch, error: unknown): boolean {
    const fault = error instanceof RowsRefused ? (error.fault ?? faultOf(error)) : null
    if (fault === null || batch.traffic.length + batch.downloads.length === 0) return false
    const { quarantine } = this.#options
    if (quarantine.divide(batch)) return true
    if (!fault.isOfRow) return false
    if (!quarantine.take(batch, fault.reason)) {
      throw new HistoryFault('The history refuses rows, and the quarantine for them is full')
    }
    this.#options.log('warn', `a row was refused by the history and set aside: ${fault.reason}`)
    return true
  }

  async #open(target: Target): Promise<HistoryAccess> {
    let opened: HistoryAccess | null = null
    // The next batch opens a new connection and checks the server.
    const onClose = () => {
      if (opened !== null && this.#history === opened) void this.#disconnect(0)
    }
    opened = await ('open' in target ? target.open(onClose) : this.#overSql(target, onClose))
    try {
      if (this.#target === target) await this.#options.check?.(opened)
      if (!this.#isStopping && this.#target === target) return opened
      throw new HistoryFault('The address of the history changed')
    } catch (error) {
      await opened.end(0)
      throw error
    }
  }

  async #overSql(target: HistoryTarget, onClose: () => void): Promise<HistoryAccess> {
    const { describeTitle: describe = describeTitle, part = wholeHistory } = this.#options
    const options = { name: 'shipper', connections: 1, statementTimeoutMs, onClose }
    return sqlHistory(await reachClient(target, options), part, describe)
  }

  #succeeded(): void {
    if (this.#status.lastError !== null) this.#options.log('info', 'shipping to the history again')
    this.#backOff.reset()
    this.#status = { lastShippedAt: new Date(), lastError: null }
    this.#report()
  }

  async #failed(error: unknown, target: Target): Promise<void> {
    if (this.#isStopping) return
    const isLocal = failureCode(error) === null && error instanceof Error
    const text = isLocal || 'open' in target ? errorText(error) : describeFailure(error, target)
    if (text !== this.#status.lastError) this.#options.log('warn', `shipping failed: ${text}`)
    this.#status = { ...this.#status, lastError: text }
    // The database may be another one after a reconnect.
    await this.#disconnect(0)
  }

  async #prune(history: HistoryAccess): Promise<void> {
    if (performance.now() - this.#prunedAt < pruneEveryMs) return
    this.#prunedAt = performance.now()
    await history.prune()
  }

  /** At most once a second, the last one always. */
  #report(): void {
    if (this.#reportTimer !== null) return
    const dueMs = Math.max(0, this.#reportedAt + reportEveryMs - performance.now())
    this.#reportTimer = setTimeout(() => {
      this.#reportTimer = null
      this.#reportedAt = performance.now()
      this.#options.onShipped()
      if (this.#hasNewTitles) this.#options.onNewTitles?.()
      this.#hasNewTitles = false
    }, dueMs)
  }

  #wait(ms: number): Promise<void> {
    const waited = this.#pause.wait(ms)
    if (this.#isStopping || (this.#isKicked && !this.#isFailing)) this.#pause.end()
    return waited
  }

  async #disconnect(timeout: number): Promise<void> {
    const history = this.#history
    this.#history = null
    await history?.end(timeout)
  }
}

/**
 * Ships the queued rows batch by batch. Nothing is lost, because a batch is deleted only after its
 * commit; nothing counts twice, because the commit records its id.
 */
export const createShipper = (options: ShipperOptions): Shipper => new OutboxShipper(options)
