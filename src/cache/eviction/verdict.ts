import type { KeyScheme } from '../../engines/cache/contract.ts'

/** What the index says of the sampled objects of one download. */
export type Evidence =
  /** At least one piece is in the cache. */
  | 'present'
  /** All of them were looked for and none is there. */
  | 'absent'
  /** The tree could not be relied on: empty, failed or not configured any more. */
  | 'unknown'
  /** Nothing is known that could be looked for. */
  | 'none'

export interface Facts {
  evidence: Evidence
  hitBytes: number
  missBytes: number
  /** Null: the datasource is not configured any more. */
  scheme: KeyScheme | null
}

/**
 * Whether a download counts as evicted; null leaves the flag as it is. Evicted is what was in the
 * cache once (something was served from it, or fetched into it under the stock keys) and is gone.
 */
export function isEvictedBy({ evidence, hitBytes, missBytes, scheme }: Facts): boolean | null {
  if (evidence === 'unknown') return null
  if (evidence !== 'absent') return false
  return hitBytes > 0 || (missBytes > 0 && scheme === 'monolithic')
}

/** The verdict over single objects; the first one that is there decides. */
export function evidenceOf(found: readonly (boolean | null)[]): Evidence {
  if (found.length === 0) return 'none'
  if (found.includes(true)) return 'present'
  return found.includes(null) ? 'unknown' : 'absent'
}
