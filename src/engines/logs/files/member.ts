import type { logMember, logSkipped } from '../../../../db/hot/schema.ts'

/** A log file and how far it was read; row of `log_member`. Offsets are decompressed bytes. */
export interface Member extends Omit<typeof logMember.$inferSelect, 'head' | 'seenAt'> {
  head: Uint8Array
  seenAt: number
}

/**
 * A range that was skipped; row of `log_skipped`. `toItsEnd`: to the end of a compressed file of
 * unknown length.
 */
export type Skipped = typeof logSkipped.$inferSelect

/** The end of a range in a file of unknown length. */
export const toItsEnd = Number.MAX_SAFE_INTEGER
