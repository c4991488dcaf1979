import type { LoggedRequest } from './log-formats.ts'

const servedFromCache = new Set(['HIT', 'STALE', 'UPDATING', 'REVALIDATED'])
const fetched = new Set(['MISS', 'EXPIRED', 'BYPASS'])

/** Counts every written request; the service's figures must match to the byte. */
export class Ledger {
  lines = 0
  /** `requests`: every one except the proxy's heartbeats, whatever its status. */
  readonly totals = { hitBytes: 0, missBytes: 0, requests: 0 }

  add(it: LoggedRequest): void {
    this.lines++
    if (it.target === '/lancache-heartbeat') return
    this.totals.requests++
    // Error pages are not content.
    if (it.status !== 200 && it.status !== 206) return
    if (servedFromCache.has(it.cacheStatus)) this.totals.hitBytes += it.bytes
    else if (fetched.has(it.cacheStatus)) this.totals.missBytes += it.bytes
  }
}
