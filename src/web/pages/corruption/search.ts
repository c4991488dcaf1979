/** What stands beside what; standard values are left out of the address. */
export interface CorruptionSearch {
  /** Repeated misses instead of the check of all files. */
  method?: 'missed' | undefined
  service?: string | undefined
  /** The piece whose evidence is open. */
  open?: string | undefined
  /** An earlier scan, to look at only. */
  scan?: string | undefined
}

const servicePattern = /^[\w.-]{1,200}$/
const candidatePattern = /^[\w.:-]{1,200}$/
const scanPattern = /^[0-9a-f-]{36}$/i

const matching = (value: unknown, pattern: RegExp): string | undefined =>
  typeof value === 'string' && pattern.test(value) ? value : undefined

export function corruptionSearch(search: Record<string, unknown>): CorruptionSearch {
  const found: CorruptionSearch = {
    method: search['method'] === 'missed' ? 'missed' : undefined,
    service: matching(search['service'], servicePattern),
    open: matching(search['open'], candidatePattern),
    scan: matching(search['scan'], scanPattern),
  }
  const kept = Object.entries(found).filter(([, value]) => value !== undefined)
  return Object.fromEntries(kept) // the same members, only the empty ones are gone
}
