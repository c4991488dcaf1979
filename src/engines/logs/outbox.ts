import type { Database } from 'bun:sqlite'
import { HotQuarantine } from './quarantine.ts'
import type { DownloadRow, Outbox, ShipBatch, TrafficRow } from '../shipper/contract.ts'

const maxTrafficRows = 5000
const maxDownloads = 1250
/** Characters of object keys and addresses in one batch; one download is always taken. */
const maxBatchCharacters = 4_000_000
const statusMaxAgeMs = 1000

export interface OutboxStatus {
  downloads: number
  trafficRows: number
  oldestMs: number | null
  bytes: number
}

interface Flagged {
  isPrefill: number
}

const downloadColumns = `id, datasource, service, tag, client, title_key AS titleKey,
  is_prefill AS isPrefill, started_at AS startedAt, ended_at AS endedAt, hit_bytes AS hitBytes,
  miss_bytes AS missBytes, requests, last_url AS lastUrl, object_keys AS objectKeys, revision`
const trafficColumns = `bucket_at AS bucketAt, datasource, service, client, title_key AS titleKey,
  is_prefill AS isPrefill, hit_bytes AS hitBytes, miss_bytes AS missBytes, requests, downloads,
  first_at AS firstAt, last_at AS lastAt`

/**
 * Rows that wait for the history. A download that changes leaves its sealed batch and waits for
 * the next one: a batch that was committed but not acknowledged is skipped by the history when it
 * comes again, and must not carry anything newer.
 */
export class HotOutbox implements Outbox {
  readonly #database: Database
  /** Takes what the history refuses of these rows. */
  readonly quarantine: HotQuarantine
  readonly #statements
  #status: OutboxStatus = { downloads: 0, trafficRows: 0, oldestMs: null, bytes: 0 }
  #countedAtMs = -Infinity

  constructor(database: Database) {
    this.#database = database
    this.quarantine = new HotQuarantine(database)
    const prepare = (sql: string) => database.prepare(sql)
    this.#statements = {
      sealed: prepare(`SELECT batch_id AS batchId FROM traffic_outbox WHERE batch_id > ''
        UNION ALL SELECT batch_id FROM download_outbox WHERE batch_id > ''
        ORDER BY batchId LIMIT 1`),
      sealTraffic: prepare(`UPDATE traffic_outbox SET batch_id = ? WHERE rowid IN
        (SELECT rowid FROM traffic_outbox WHERE batch_id = '' LIMIT ${maxTrafficRows})`),
      sealDownloads: prepare(`UPDATE download_outbox SET batch_id = ? WHERE id IN
        (SELECT id FROM (SELECT id, sum(length) OVER (ORDER BY id) - length AS before FROM
          (SELECT id, length(object_keys) + length(last_url) AS length FROM download_outbox
            WHERE batch_id = '' LIMIT ${maxDownloads})) WHERE before < ${maxBatchCharacters})`),
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
    return this.#database.transaction(() => {
      const sealed = this.#statements.sealed.get() as { batchId: string } | null
      const batchId = sealed?.batchId ?? Bun.randomUUIDv7()
      if (sealed === null) {
        const traffic = this.#statements.sealTraffic.run(batchId).changes
        const downloads = this.#statements.sealDownloads.run(batchId).changes
        if (traffic + downloads === 0) return null
      }
      return { batchId, ...this.#rows(batchId) }
    })()
  }

  acknowledge(batch: ShipBatch): void {
    this.#database.transaction(() => {
      this.#statements.dropTraffic.run(batch.batchId)
      for (const { id, revision } of batch.downloads) {
        this.#statements.dropDownload.run(id, revision)
      }
      this.#statements.release.run(batch.batchId)
    })()
    this.#countedAtMs = -Infinity
  }

  /** When the oldest row that waits now was put here; null: nothing waits. */
  oldestMs(): number | null {
    const traffic = this.#statements.countTraffic.get() as { oldest: number | null }
    const downloads = this.#statements.countDownloads.get() as typeof traffic
    const oldest = Math.min(traffic.oldest ?? Infinity, downloads.oldest ?? Infinity)
    return oldest === Infinity ? null : oldest
  }

  /** Counts at most once a second: with a history away for days there are many rows. */
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
    // Counting takes one part in fifty of the time at most.
    this.#countedAtMs = elapsedMs + (performance.now() - started) * 50
    return this.#status
  }

  /** Used pages of the file; what does not wait in it is small. */
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
