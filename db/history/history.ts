import type { PostgresJsDatabase } from 'drizzle-orm/postgres-js'
import type { Sql } from 'postgres'
import type * as schema from './schema.ts'

export type HistoryState =
  'stopped' | 'initialising' | 'starting' | 'migrating' | 'ready' | 'unavailable'

export interface HistoryStatus {
  mode: 'embedded' | 'external'
  state: HistoryState
  /** What is wrong and what to do, without secrets; null while all is well. */
  message: string | null
  since: Date
}

/** Long-term history in Postgres, as the main thread sees it. */
export interface History {
  /** Starts (or reaches) the server and migrates; never throws, keeps trying in the background. */
  start(): void
  stop(): Promise<void>
  status(): HistoryStatus
  /** Called on every change of state. */
  onStatus(listener: (status: HistoryStatus) => void): void
  /**
   * Runs a query when the history is there. Throws HistoryUnavailable when it is not, or when the
   * connection breaks meanwhile; routes answer that with 503 and `Retry-After`.
   */
  read<T>(query: (db: PostgresJsDatabase<typeof schema>, sql: Sql) => Promise<T>): Promise<T>
  /** Other credentials were stored: connects anew with them. */
  credentialsChanged(): void
  /** How a worker reaches the same database. */
  connection(): { host: string; port: number; database: string; user: string; password: string }
}

/** The history cannot be asked at the moment. The message is fit for the caller. */
export class HistoryUnavailable extends Error {}
