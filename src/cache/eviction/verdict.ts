import type { KeyScheme } from '../../engines/cache/contract.ts'

/** What the index says about one download's sampled objects. */
export type Evidence =
  /** At least one cache file exists. */
  | 'present'
  /** All were looked up and none exists. */
  | 'absent'
  /** The tree is unreliable: empty, failed or no longer configured. */
  | 'unknown'
  /** There are no samples to look up. */
  | 'none'

export interface Facts {
  evidence: Evidence
  hitBytes: number
  missBytes: number
  /** Null when the datasource is no longer configured. */
  scheme: KeyScheme | null
}

/**
 * Whether a download counts as evicted; null leaves the flag unchanged. Evicted means: once in the
 * cache (served from it, or fetched into it under stock keys) and no longer there.
 */
export function isEvictedBy({ evidence, hitBytes, missBytes, scheme }: Facts): boolean | null {
  if (evidence === 'unknown') return null
  if (evidence !== 'absent') return false
  return hitBytes > 0 || (missBytes > 0 && scheme === 'monolithic')
}

/** The verdict over single objects; the first one present decides. */
export function evidenceOf(found: readonly (boolean | null)[]): Evidence {
  if (found.length === 0) return 'none'
  if (found.includes(true)) return 'present'
  return found.includes(null) ? 'unknown' : 'absent'
}
