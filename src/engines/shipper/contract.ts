/** Between the log engine's store and the shipper. Times are Unix seconds, sizes bytes. */

export interface DownloadRow {
  id: number
  datasource: string
  service: string
  tag: string
  client: string
  titleKey: string
  isPrefill: boolean
  startedAt: number
  endedAt: number
  hitBytes: number
  missBytes: number
  requests: number
  lastUrl: string
  objectKeys: string[]
  revision: number
}

export interface TrafficRow {
  bucketAt: number
  datasource: string
  service: string
  client: string
  titleKey: string
  isPrefill: boolean
  hitBytes: number
  missBytes: number
  requests: number
  downloads: number
  firstAt: number
  lastAt: number
}

/** A position of `hot.sqlite` as of a batch: its row as JSON, or null when it is gone. */
export interface PositionChange {
  kind: 'member' | 'skipped' | 'open'
  id: number
  fields: string | null
}

/** Where a batch stands among all batches, and the positions up to which it completes them. */
export interface BatchLink {
  installation: string
  epoch: number
  seq: number
  /** Null: not everything that was read up to some position is in this batch or before it. */
  positions: { facts: string; changes: PositionChange[] } | null
}

/**
 * What goes to the history in one transaction. Downloads are whole states, the newest revision
 * wins; traffic rows are additions, added once per batch id.
 */
export interface ShipBatch {
  batchId: string
  downloads: DownloadRow[]
  traffic: TrafficRow[]
  /**
   * Written in the same transaction. Every number has to reach the history, also when rows of the
   * batch cannot; of a batch that is sent in parts, it goes with the last one.
   */
  link?: BatchLink
}

/** Where rows go that the history refuses, so that all others go on. Synchronous. */
export interface Quarantine {
  /**
   * Divides a batch that was certainly not committed, so that the refused row is found. False: it
   * is one row, which cannot be divided.
   */
  divide(batch: ShipBatch): boolean
  /** Takes the only row of a batch out of the outbox. False: the quarantine is full. */
  take(batch: ShipBatch, reason: string): boolean
}

/** The waiting rows of `hot.sqlite`; lives in the log engine's worker, which is the one writer. */
export interface Outbox {
  /**
   * The oldest sealed batch that was not acknowledged (same id and rows as before), else seals a
   * new one of bounded size, else null. Synchronous: one SQLite transaction.
   */
  next(): ShipBatch | null
  /** Forgets a batch that the history has committed. A download that grew meanwhile stays. */
  acknowledge(batch: ShipBatch): void
}
