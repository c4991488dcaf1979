import type { Sql } from 'postgres'
import type { DownloadsParts } from '../parts.ts'
import { hidesEvicted } from './evicted-mode.ts'
import { AppError } from '../../core/http/errors.ts'
import { leftOutClients } from '../../clients/contract.ts'
import { ReportCache } from './cache.ts'
import { isLive, type Scope } from './scope.ts'

export interface Reports {
  /** From now on, rows that arrive in the history outdate the answers about the present. */
  start: () => void
  /** Runs queries of one report on one connection of the history. */
  read: <T>(query: (sql: Sql) => Promise<T>) => Promise<T>
  /** The answer of a report for a scope, from the cache when it is fresh enough. */
  cached: <T>(name: string, scope: Scope, compute: () => Promise<T>) => Promise<T>
  /** Answers that are kept are forgotten: what they depend on has changed. */
  dropAll: () => void
  /** The scope of a sum, count or average. */
  counted: (scope: Scope) => Scope
  /** The scope of a list. */
  shown: (scope: Scope) => Scope
  /** Throws `notFound` when the scope names an event that does not exist. */
  checkEvent: (eventId: number | null) => Promise<void>
}

/** Shared by all report features of one application, so that they share one cache. */
export function createReports({ history, logs, clock, state, settings }: DownloadsParts): Reports {
  const cache = new ReportCache(clock)
  const read = <T>(query: (sql: Sql) => Promise<T>) => history.read((_db, sql) => query(sql))
  return {
    start: () => logs.onShipped(() => cache.dropLive()),
    read,
    cached(name, scope, compute) {
      const options = { isLive: isLive(scope.period, clock.now()) }
      return cache.get(`${name} ${JSON.stringify(scope)}`, options, compute)
    },
    dropAll: () => cache.dropAll(),
    counted: (scope) => ({ ...scope, without: leftOutClients(state).uncounted }),
    shown: (scope) => ({
      ...scope,
      without: leftOutClients(state).hidden,
      hidesEvicted: hidesEvicted(settings),
    }),
    async checkEvent(eventId) {
      if (eventId === null) return
      const found = await read((sql) => sql`SELECT 1 FROM events WHERE id = ${eventId}`)
      if (found.length === 0) throw new AppError('notFound', 'Event not found')
    },
  }
}
