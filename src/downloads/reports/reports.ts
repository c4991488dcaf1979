import type { Sql } from 'postgres'
import type { DownloadsParts } from '../parts.ts'
import { rowLimits } from '../../engines/shipper/row-limits.ts'
import { hidesEvicted } from './evicted-mode.ts'
import { AppError } from '../../core/http/errors.ts'
import { excludedClients } from '../../clients/contract.ts'
import { ReportCache } from './cache.ts'
import { inKeptRows } from './range.ts'
import { isLive, type Scope } from './scope.ts'

export interface Reports {
  /** Starts invalidating answers about the present when rows arrive in the history. */
  start: () => void
  /** Runs one report's queries on one connection to the history. */
  read: <T>(query: (sql: Sql) => Promise<T>) => Promise<T>
  /** The same for lists and pages that may sum years: the overview never waits for them. */
  readList: <T>(query: (sql: Sql) => Promise<T>) => Promise<T>
  /**
   * Rows of sums. Traffic that was logged while a clock was ahead stays counted, but is not the last
   * activity of who has come since.
   */
  sums: <Row extends { name?: string; lastAt: number }>(
    scope: Scope,
    query: (sql: Sql, scope: Scope) => Promise<Row[]>,
  ) => Promise<Row[]>
  /** Resolves when no `read` runs, at the latest after `patienceMs`: for work that can wait. */
  whenIdle: () => Promise<void>
  /** A report's answer for a scope, from the cache if fresh. */
  cached: <T>(name: string, scope: Scope, compute: () => Promise<T>) => Promise<T>
  /** Drops all cached answers: what they depend on has changed. */
  dropAll: () => void
  /** The scope of a sum, count or average. */
  counted: (scope: Scope) => Scope
  /** The scope of a list. */
  shown: (scope: Scope) => Scope
  /** Throws `notFound` when the scope names an event that does not exist. */
  checkEvent: (eventId: number | null) => Promise<void>
}

/** How long work that can wait does so for reports. */
export const patienceMs = 100
const idleCheckMs = 2

/** Shared by all reports of one application, so that they share one cache. */
export function createReports(parts: DownloadsParts): Reports {
  const { history, logs, clock, timers, state, settings } = parts
  const cache = new ReportCache(clock)
  let running = 0
  async function read<T>(query: (sql: Sql) => Promise<T>): Promise<T> {
    running++
    try {
      return await history.read((_db, sql) => query(sql), 'reports')
    } finally {
      running--
    }
  }
  function inKept(scope: Scope): Scope {
    const keptSince = settings.get('history.keptSince')
    if (keptSince === null || scope.eventId !== null) return scope
    return { ...scope, keptSince, period: inKeptRows(scope.period, keptSince) }
  }
  return {
    start: () => logs.onShipped(() => cache.dropLive()),
    read,
    sums: (scope, query) =>
      read(async (sql) => {
        const rows = await query(sql, scope)
        const end = Math.floor(clock.now().getTime() / 1000)
        const isAhead = ({ lastAt }: { lastAt: number }) => lastAt > end + rowLimits.aheadS
        if (!rows.some(isAhead) || (scope.period.start ?? 0) > end) return rows
        const past = await query(sql, { ...scope, period: { ...scope.period, end } })
        const lastOf = new Map(past.map(({ name, lastAt }) => [name, lastAt]))
        return rows.map((row) =>
          isAhead(row) ? { ...row, lastAt: lastOf.get(row.name) ?? row.lastAt } : row,
        )
      }),
    readList: (query) => history.read((_db, sql) => query(sql), 'lists'),
    whenIdle() {
      const { promise, resolve } = Promise.withResolvers<void>()
      let isLate = false
      const stop = timers.after(patienceMs, () => void (isLate = true))
      const check = () => {
        if (running > 0 && !isLate) {
          timers.after(idleCheckMs, check)
          return
        }
        stop()
        resolve()
      }
      // A report reads several times in succession.
      setImmediate(check)
      return promise
    },
    cached(name, scope, compute) {
      const options = { isLive: isLive(scope.period, clock.now()) }
      return cache.get(`${name} ${JSON.stringify(scope)}`, options, compute)
    },
    dropAll: () => cache.dropAll(),
    counted: (scope) => ({ ...inKept(scope), without: excludedClients(state).uncounted }),
    shown: (scope) => ({
      ...inKept(scope),
      without: excludedClients(state).hidden,
      hidesEvicted: hidesEvicted(settings),
    }),
    async checkEvent(eventId) {
      if (eventId === null) return
      const found = await read((sql) => sql`SELECT 1 FROM events WHERE id = ${eventId}`)
      if (found.length === 0) throw new AppError('notFound', 'Event not found')
    },
  }
}
