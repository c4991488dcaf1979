import type { ShipBatch } from './wire.ts'
/** Between the log engine's store and the shipper. Times are Unix seconds, sizes bytes. */

export type { BatchLink, DownloadRow, PositionChange, ShipBatch, TrafficRow } from './wire.ts'

/** Lengths of time that the history sums failed requests by, seconds. */
export const failedSpans = { five: 300, day: 86_400 } as const

/**
 * Ids of downloads are unique over all log engines of a history: those that an engine gives leave its
 * slot as the rest of this division.
 */
export const downloadIdStep = 128

/**
 * Milliseconds since 2025 times a thousand: ids keep increasing even after the store was lost. Of
 * those, the ones that belong to the engine's slot.
 */
export function firstFreeId(lastId: number, nowMs: number, slot: number): number {
  const least = Math.max(lastId + 1, (nowMs - Date.UTC(2025, 0, 1)) * 1000)
  return Math.ceil((least - slot) / downloadIdStep) * downloadIdStep + slot
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
