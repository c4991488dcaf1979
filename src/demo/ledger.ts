import type { LoggedRequest } from './log-formats.ts'

/** Totals actually written for one service and client. */
export interface LedgerTotals {
  hitBytes: number
  missBytes: number
  /** Every request except the proxy's heartbeats, whatever its status. */
  requests: number
}

const servedFromCache = new Set(['HIT', 'STALE', 'UPDATING', 'REVALIDATED'])
const fetched = new Set(['MISS', 'EXPIRED', 'BYPASS'])

/** Counts every written request; the service's figures must match to the byte. */
export class Ledger {
  /** By `service client`. */
  readonly totals = new Map<string, LedgerTotals>()
  lines = 0

  add(it: LoggedRequest): void {
    this.lines++
    if (it.target === '/lancache-heartbeat') return
    const key = `${it.tag} ${it.client}`
    let entry = this.totals.get(key)
    if (entry === undefined) {
      entry = { hitBytes: 0, missBytes: 0, requests: 0 }
      this.totals.set(key, entry)
    }
    entry.requests++
    // Error pages are not content.
    if (it.status !== 200 && it.status !== 206) return
    if (servedFromCache.has(it.cacheStatus)) entry.hitBytes += it.bytes
    else if (fetched.has(it.cacheStatus)) entry.missBytes += it.bytes
  }

  byService(): Map<string, LedgerTotals> {
    return this.#grouped((key) => key.slice(0, key.indexOf(' ')))
  }

  byClient(): Map<string, LedgerTotals> {
    return this.#grouped((key) => key.slice(key.indexOf(' ') + 1))
  }

  all(): LedgerTotals {
    return this.#grouped(() => '').get('') ?? { hitBytes: 0, missBytes: 0, requests: 0 }
  }

  #grouped(nameOf: (key: string) => string): Map<string, LedgerTotals> {
    const groups = new Map<string, LedgerTotals>()
    for (const [key, totals] of this.totals) {
      const name = nameOf(key)
      const sum = groups.get(name) ?? { hitBytes: 0, missBytes: 0, requests: 0 }
      sum.hitBytes += totals.hitBytes
      sum.missBytes += totals.missBytes
      sum.requests += totals.requests
      groups.set(name, sum)
    }
    return groups
  }
}
