import type { Database } from 'bun:sqlite'
import type { quarantine } from '../../../db/hot/schema.ts'
import type { Quarantine, ShipBatch } from '../shipper/contract.ts'
import type { QuarantinedRow, QuarantineList } from './wire.ts'
import { trafficKey, trafficSums } from './store.ts'

/** More indicate a fault of the history, not of single rows: then all rows stay in the outbox. */
export const maxQuarantined = 10_000
/** Newest rows in an answer, and the characters shown of each. */
const maxListed = 200
const maxSample = 500

type Cells = Record<string, string | number>
type StoredRow = typeof quarantine.$inferSelect

const tables = { traffic: 'traffic_outbox', download: 'download_outbox' } as const
/** Traffic is added to the queued row; of a download, a newer state is already queued. */
const onConflict = {
  traffic: `DO UPDATE SET ${trafficSums
    .map((name) => `${name} = ${name} + excluded.${name}`)
    .join(', ')}, first_at = min(first_at, excluded.first_at),
    last_at = max(last_at, excluded.last_at)`,
  download: 'DO NOTHING',
} as const

/** Rows of the outbox that the history refused, in the same file. */
export class HotQuarantine implements Quarantine {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Number of quarantined rows. */
  get count(): number {
    const counted = this.#database.query('SELECT count(*) AS rows FROM quarantine').get()
    return (counted as { rows: number }).rows
  }

  divide({ batchId }: ShipBatch): boolean {
    const [traffic, downloads] = [this.#size('traffic', batchId), this.#size('download', batchId)]
    if (traffic + downloads <= 1) return false
    // Splits by kind first, then the rows of one kind.
    const isMixed = traffic > 0 && downloads > 0
    const moved = isMixed ? traffic : Math.floor((traffic + downloads) / 2)
    const [table, key] = traffic > 0 ? [tables.traffic, trafficKey] : [tables.download, 'id']
    const half = Bun.randomUUIDv7()
    this.#durably(() => {
      this.#database
        .query(
          `UPDATE ${table} SET batch_id = ?1 WHERE batch_id = ?2 AND (${key}) IN
            (SELECT ${key} FROM ${table} WHERE batch_id = ?2 LIMIT ?3)`,
        )
        .run(half, batchId, moved)
      this.#sealBefore(batchId, half)
    })
    return true
  }

  /**
   * Seals a batch right before another one, which keeps the positions: they are valid once both are
   * in the history. Batches sealed later move up by one; none of them was ever sent.
   */
  #sealBefore(batchId: string, half: string): void {
    const sealed = this.#database
      .query('SELECT seq FROM sealed_batch WHERE batch_id = ?')
      .get(batchId) as { seq: number } | null
    if (sealed === null) return
    // By way of negative numbers, because the key must be unique at every step.
    this.#database.query('UPDATE sealed_batch SET seq = -seq - 1 WHERE seq >= ?').run(sealed.seq)
    this.#database.run('UPDATE sealed_batch SET seq = -seq WHERE seq < 0')
    this.#database
      .query(
        'INSERT INTO sealed_batch (seq, batch_id, positions, is_durable) VALUES (?, ?, NULL, 1)',
      )
      .run(sealed.seq, half)
  }

  take({ batchId }: ShipBatch, reason: string): boolean {
    if (this.count >= maxQuarantined) return false
    this.#database.transaction(() => {
      for (const kind of ['traffic', 'download'] as const) {
        const rows = this.#database
          .query(`DELETE FROM ${tables[kind]} WHERE batch_id = ? RETURNING *`)
          .all(batchId) as Cells[]
        for (const row of rows) {
          // Of a download that still grows, one state is enough.
          if (kind === 'download') this.#forget(Number(row['id']))
          this.#database
            .query(
              `INSERT INTO quarantine (kind, reason, row, set_aside_at_ms) VALUES (?, ?, ?, ?)`,
            )
            .run(kind, reason, JSON.stringify(row), Date.now())
        }
      }
    })()
    return true
  }

  #forget(download: number): void {
    this.#database
      .query("DELETE FROM quarantine WHERE kind = 'download' AND row ->> 'id' = ?")
      .run(download)
  }

  /** The newest quarantined rows. */
  list(): QuarantineList {
    const rows = this.#database
      .query(
        `SELECT id, kind, reason, row, set_aside_at_ms AS setAsideAtMs FROM quarantine
        ORDER BY id DESC LIMIT ${maxListed}`,
      )
      .all() as StoredRow[]
    return {
      total: this.count,
      rows: rows.map(({ id, kind, reason, row, setAsideAtMs }) => ({
        id,
        kind,
        reason,
        sample: row.slice(0, maxSample),
        setAsideAt: new Date(setAsideAtMs).toISOString(),
      })),
    }
  }

  /** Puts every row back into the outbox. Returns how many. */
  retry(): number {
    const rows = this.#database
      .query('SELECT kind, row FROM quarantine ORDER BY id')
      .all() as StoredRow[]
    this.#database.transaction(() => {
      for (const { kind, row } of rows) this.#restore(kind, JSON.parse(row) as Cells)
      this.#database.run('DELETE FROM quarantine')
    })()
    return rows.length
  }

  #restore(kind: QuarantinedRow['kind'], row: Cells): void {
    const cells: Cells = { ...row, batch_id: '' }
    const names = Object.keys(cells)
    const marks = names.map(() => '?').join(', ')
    this.#database
      .query(
        `INSERT INTO ${tables[kind]} (${names.join(', ')}) VALUES (${marks})
        ON CONFLICT ${onConflict[kind]}`,
      )
      .run(...Object.values(cells))
  }

  #size(kind: keyof typeof tables, batchId: string): number {
    const query = `SELECT count(*) AS rows FROM ${tables[kind]} WHERE batch_id = ?`
    return (this.#database.query(query).get(batchId) as { rows: number }).rows
  }

  /**
   * On disk before a half is sent: after a power cut the whole batch would be sealed again, and a
   * half already in the history would be added twice.
   */
  #durably(change: () => void): void {
    this.#database.run('PRAGMA synchronous = FULL')
    try {
      this.#database.transaction(change)()
    } finally {
      this.#database.run('PRAGMA synchronous = NORMAL')
    }
  }
}
