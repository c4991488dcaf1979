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
  /** Served ones. */
  requests: number
  failedRequests: number
  downloads: number
  firstAt: number
  lastAt: number
}

/** Lengths of time that the history sums failed requests by, seconds. */
export const failedSpans = { five: 300, day: 86_400 } as const

/** A position of `hot.sqlite` as of a batch: its row as JSON, or null when it is gone. */
export interface PositionChange {
  kind: 'member' | 'skipped' | 'open'
  id: number
  fields: string | null
}

/**
 * Ids of downloads are unique over all log engines of a history: those that an engine gives leave its
 * slot as the rest of this division.
 */
export const downloadIdStep = 128

/** The batch's place in the sequence, and the positions up to which it completes it. */
export interface BatchLink {
  installation: string
  epoch: number
  seq: number
  /**
   * Null or partial: a later batch has the rest; until then the history does not know where to
   * continue.
   */
  positions: { facts: string; changes: PositionChange[]; isPartial: boolean } | null
}

/**
 * What is sent to the history in one transaction. Downloads are full states, the newest revision
 * wins; traffic rows are additions, added once per batch id.
 */
export interface ShipBatch {
  batchId: string
  downloads: DownloadRow[]
  traffic: TrafficRow[]
  /**
   * Written in the same transaction. Every number must reach the history, even when rows of the
   * batch cannot; of a divided batch, it is sent with the last part.
   */
  link?: BatchLink
}

/** Keeps rows that the history refuses, so that all others are stored. Synchronous. */
export interface Quarantine {
  /**
   * Divides a batch that was definitely not committed, to find the refused row. False: it is a
   * single row.
   */
  divide(batch: ShipBatch): boolean
  /**
   * Moves the only row of a batch from the outbox to the quarantine. False: the quarantine is full.
   */
  take(batch: ShipBatch, reason: string): boolean
}

/** The queued rows of `hot.sqlite`; lives in the log engine's worker, the only writer. */
export interface Outbox {
  /**
   * The oldest sealed batch that is not acknowledged (same id and rows as before), else a newly
   * sealed one of bounded size, else null. Synchronous: one SQLite transaction.
   */
  next(): ShipBatch | null
  /** Deletes a batch that the history has committed. A download that grew in the meantime stays. */
  acknowledge(batch: ShipBatch): void
}
