import type { RowFault } from '../../engines/shipper/row-limits.ts'

/** Why a download was not imported: it is skipped, or refused and counted as an error. */
export type Reason = 'existing' | 'counted' | RowFault | 'history'

const skippedFor: readonly string[] = ['existing', 'counted'] satisfies Reason[]

/** What became of the downloads that were read. */
export interface Counts {
  imported: number
  /** Those that were not imported, by reason. */
  reasons: Partial<Record<Reason, number>>
}

export function countReason({ reasons }: Counts, reason: Reason): void {
  reasons[reason] = (reasons[reason] ?? 0) + 1
}

/** The sums of the contract. */
export function sumsOf({ imported, reasons }: Counts) {
  let skipped = 0
  let errors = 0
  for (const [reason, downloads] of Object.entries(reasons)) {
    if (skippedFor.includes(reason)) skipped += downloads
    else errors += downloads
  }
  return { imported, skipped, errors, processed: imported + skipped + errors }
}
