import type { Database } from 'bun:sqlite'
import { columnsOf } from '../../../db/columns.ts'
import { downloadOutbox, trafficOutbox } from '../../../db/hot/schema.ts'
import type { BatchLink, DownloadRow, Outbox, ShipBatch, TrafficRow } from '../shipper/contract.ts'
import { HotLink, maxChanges } from './link/hot-link.ts'
import { HotQuarantine } from './quarantine.ts'
import { queueOpen, selected, trafficKey } from './store.ts'

/** Seals a batch at this many queued rows, or when the one before is a second old. */
const fullTrafficRows = 5000
const fullDownloads = 1250
const sealEveryMs = 1000
/** The same while a backlog is read. */
const backlogSealMs = 2000
/** Positions that moved without a row (heartbeats, a replaced file) may be sent later. */
const positionsEveryMs = 5000
/**
 * Batches of a backlog, and full ones, carry positions this often: most of their downloads begin and
 * end in between, and are never written as open ones.
 */
const backlogPositionsEveryMs = 10_000
/** More than one commit can add; beyond it a batch holds only a part of what was read. */
const maxTrafficRows = 60_000
const maxDownloads = 60_000
/**
 * Characters of object keys and addresses per batch; a batch always takes at least one download.
 */
const maxBatchCharacters = 64_000_000
const statusMaxAgeMs = 1000

export interface OutboxStatus {
  downloads: number
  trafficRows: number
  oldestMs: number | null
  bytes: number
}

interface Sealed {
  seq: number
  batchId: string
  positions: string | null
  isDurable: number
}

interface Flagged {
  isPrefill: number
}

const queued = ['batchId', 'queuedAtMs'] as const
const downloadColumns = selected(columnsOf(downloadOutbox, queued))
const trafficColumns = selected(columnsOf(trafficOutbox, queued))

/**
 * Rows queued for the history. Sealing is a cut: the batch gets every queued row, the positions and
 * the open downloads of that moment; in a backlog only some batches have the latter two, and many
 * are divided among several batches. It is sent only once it is on disk: after a power cut, a batch
 * that the history has must still be known here. A newer state of a download leaves the sealed batch
 * of the older one: the history skips a batch that was committed but not acknowledged when it is
 * sent again, so it must not carry anything newer.
 */
export class HotOutbox implements Outbox {
  readonly link: HotLink
  readonly #database: Database
  /** Keeps the rows that the history refuses. */
  readonly quarantine: HotQuarantine
  readonly #statements
  #sealedAtMs = 0
  #isBehind = false
  #positionsAtMs = 0
  /** How long after the last batch one without rows is due. */
  #positionsWaitMs = positionsEveryMs
  #status: OutboxStatus = { downloads: 0, trafficRows: 0, oldestMs: null, bytes: 0 }
  #countedAtMs = -Infinity

  constructor(database: Database) {
    this.#database = database
    this.quarantine = new HotQuarantine(database)
    this.link = new HotLink(database)
    const prepare = (sql: string) => database.prepare(sql)
    const open = queueOpen(maxChanges)
    this.#statements = {
      sealed: prepare(`SELECT seq, batch_id AS batchId, positions, is_durable AS isDurable
        FROM sealed_batch ORDER BY seq LIMIT 1`),
      seal: prepare('INSERT INTO sealed_batch (seq, batch_id, positions) VALUES (?, ?, ?)'),
      unsealedTraffic: prepare(`SELECT count(*) AS rows FROM (SELECT 1 FROM traffic_outbox
        WHERE batch_id = '' LIMIT ${fullTrafficRows})`),
      unsealedDownloads: prepare(`SELECT count(*) AS rows FROM (SELECT 1 FROM download_outbox
        WHERE batch_id = '' LIMIT ${fullDownloads})`),
      makeDurable: prepare('UPDATE sealed_batch SET is_durable = 1 WHERE seq = ?'),
      dropSealed: prepare('DELETE FROM sealed_batch WHERE batch_id = ?'),
      sealTraffic: prepare(`UPDATE traffic_outbox SET batch_id = ? WHERE batch_id = ''
        AND (${trafficKey}) IN
          (SELECT ${trafficKey} FROM traffic_outbox WHERE batch_id = '' LIMIT ${maxTrafficRows})`),
      sealDownloads: prepare(`UPDATE download_outbox SET batch_id = ? WHERE id IN
        (SELECT id FROM (SELECT id, sum(length) OVER (ORDER BY id) - length AS before FROM
          (SELECT id, length(object_keys) + length(last_url) AS length FROM download_outbox
            WHERE batch_id = '' LIMIT ${maxDownloads})) WHERE before < ${maxBatchCharacters})`),
      queueOpen: prepare(open.states),
      markOpen: prepare(open.mark),
      traffic: prepare(`SELECT ${trafficColumns} FROM traffic_outbox WHERE batch_id = ?`),
      downloads: prepare(`SELECT ${downloadColumns} FROM download_outbox WHERE batch_id = ?`),
      dropTraffic: prepare('DELETE FROM traffic_outbox WHERE batch_id = ?'),
      dropDownload: prepare('DELETE FROM download_outbox WHERE id = ? AND revision = ?'),
      release: prepare("UPDATE download_outbox SET batch_id = '' WHERE batch_id = ?"),
      countTraffic: prepare(
        'SELECT count(*) AS rows, min(queued_at_ms) AS oldest FROM traffic_outbox',
      ),
      countDownloads: prepare(
        'SELECT count(*) AS rows, min(queued_at_ms) AS oldest FROM download_outbox',
      ),
    }
  }

  next(): ShipBatch | null {
    const sealed = this.#oldest() ?? (this.#isDue(Date.now()) ? this.#seal() : null)
    if (sealed === null) return null
    if (sealed.isDurable === 0) this.#flush(sealed.seq)
    const { batchId, seq, positions } = sealed
    const batch = { batchId, ...this.#rows(batchId) }
    const link = this.link.link()
    if (link === null) return batch
    const { installation, epoch } = link
    // Written by `#seal`.
    const parsed = positions === null ? null : (JSON.parse(positions) as BatchLink['positions'])
    return { ...batch, link: { installation, epoch, seq, positions: parsed } }
  }

  /**
   * Seals once enough is queued. Called after every commit, so that batches stay small while none
   * is requested.
   */
  sealWhenFull(isBehind: boolean): void {
    this.#isBehind = isBehind
    if (this.#waiting().isFull) this.#seal()
  }

  /**
   * Seals what is queued; the end of a backlog does not wait for the next second. Not before there
   * is a history: a batch of that time would reach it without positions.
   */
  sealRest(): void {
    this.#isBehind = false
    if (this.link.link() !== null && !this.#waiting().isEmpty) this.#seal()
  }

  #oldest(): Sealed | null {
    return this.#statements.sealed.get() as Sealed | null
  }

  #waiting(): { isFull: boolean; isEmpty: boolean } {
    const { rows: traffic } = this.#statements.unsealedTraffic.get() as { rows: number }
    const { rows: downloads } = this.#statements.unsealedDownloads.get() as { rows: number }
    const isFull = traffic >= fullTrafficRows || downloads >= fullDownloads
    return { isFull, isEmpty: traffic + downloads === 0 }
  }

  #isDue(nowMs: number): boolean {
    const { isFull, isEmpty } = this.#waiting()
    // A clock that was set back must not cause a delay.
    const agoMs = Math.abs(nowMs - this.#sealedAtMs)
    if (isEmpty) {
      return agoMs >= this.#positionsWaitMs && this.link.hasChanges()
    }
    return isFull || agoMs >= (this.#isBehind ? backlogSealMs : sealEveryMs)
  }

  /** Never changes a sealed batch: it may have been committed already. */
  #seal(): Sealed {
    const nowMs = Date.now()
    const isLate = Math.abs(nowMs - this.#positionsAtMs) >= backlogPositionsEveryMs
    this.#sealedAtMs = nowMs
    return this.#database.transaction(() => {
      const seq = this.link.lastSeq() + 1
      const batchId = Bun.randomUUIDv7()
      const { isFull, isEmpty } = this.#waiting()
      const isOfBacklog = isFull || (this.#isBehind && !isEmpty)
      this.#statements.sealTraffic.run(batchId)
      this.#statements.sealDownloads.run(batchId)
      const hasPositions = (isLate || !isOfBacklog) && this.#waiting().isEmpty
      const taken = hasPositions ? this.#takeOpen(batchId, nowMs) : null
      const positions = taken && JSON.stringify(taken)
      if (taken !== null) this.#positionsAtMs = nowMs
      const restMs = taken?.isPartial === true ? 0 : positionsEveryMs
      this.#positionsWaitMs = taken === null ? sealEveryMs : restMs
      this.#statements.seal.run(seq, batchId, positions)
      return { seq, batchId, positions, isDurable: 0 }
    })()
  }

  /** The positions of this moment; the states of open downloads go into the batch with them. */
  #takeOpen(batchId: string, nowMs: number) {
    this.#statements.queueOpen.run(batchId, nowMs)
    this.#statements.markOpen.run()
    return this.link.takeChanges()
  }

  /** Returns when everything committed so far is on disk. */
  #flush(seq: number): void {
    this.#database.run('PRAGMA synchronous = FULL')
    try {
      this.#statements.makeDurable.run(seq)
    } finally {
      this.#database.run('PRAGMA synchronous = NORMAL')
    }
  }

  acknowledge(batch: ShipBatch): void {
    this.#database.transaction(() => {
      this.#statements.dropTraffic.run(batch.batchId)
      for (const { id, revision } of batch.downloads) {
        this.#statements.dropDownload.run(id, revision)
      }
      this.#statements.release.run(batch.batchId)
      this.#statements.dropSealed.run(batch.batchId)
      if (batch.link === undefined) return
      const { installation, epoch, seq } = batch.link
      this.link.save({ installation, epoch, seq, batchId: batch.batchId })
    })()
    this.#countedAtMs = -Infinity
  }

  /** When the oldest queued row was added; null: nothing is queued. */
  oldestMs(): number | null {
    const traffic = this.#statements.countTraffic.get() as { oldest: number | null }
    const downloads = this.#statements.countDownloads.get() as typeof traffic
    const oldest = Math.min(traffic.oldest ?? Infinity, downloads.oldest ?? Infinity)
    return oldest === Infinity ? null : oldest
  }

  /**
   * Counts at most once a second: there are many rows when the history was unavailable for days.
   */
  status(elapsedMs: number): OutboxStatus {
    if (elapsedMs - this.#countedAtMs < statusMaxAgeMs) return this.#status
    const started = performance.now()
    const traffic = this.#statements.countTraffic.get() as { rows: number; oldest: number | null }
    const downloads = this.#statements.countDownloads.get() as typeof traffic
    const oldest = Math.min(traffic.oldest ?? Infinity, downloads.oldest ?? Infinity)
    const isEmpty = traffic.rows + downloads.rows === 0
    this.#status = {
      downloads: downloads.rows,
      trafficRows: traffic.rows,
      oldestMs: isEmpty ? null : oldest,
      bytes: isEmpty ? 0 : this.#usedBytes(),
    }
    // Counting takes at most one part in fifty of the time.
    this.#countedAtMs = elapsedMs + (performance.now() - started) * 50
    return this.#status
  }

  /** Used pages of the file; anything but queued rows is small. */
  #usedBytes(): number {
    const pragma = (name: string) => {
      const row = this.#database.query(`PRAGMA ${name}`).get() as Record<string, number>
      return Number(Object.values(row)[0])
    }
    return (pragma('page_count') - pragma('freelist_count')) * pragma('page_size')
  }

  #rows(batchId: string): { downloads: DownloadRow[]; traffic: TrafficRow[] } {
    const traffic = this.#statements.traffic.all(batchId) as (Omit<TrafficRow, 'isPrefill'> &
      Flagged)[]
    const downloads = this.#statements.downloads.all(batchId) as (Omit<
      DownloadRow,
      'isPrefill' | 'objectKeys'
    > &
      Flagged & { objectKeys: string })[]
    return {
      traffic: traffic.map((row) => ({ ...row, isPrefill: row.isPrefill === 1 })),
      downloads: downloads.map((row) => ({
        ...row,
        isPrefill: row.isPrefill === 1,
        objectKeys: JSON.parse(row.objectKeys) as string[],
      })),
    }
  }
}
