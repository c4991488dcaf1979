/*
 * Downloads are not partitioned: `docs/architecture.md` has what that would cost.
 *
 * Three resolutions of traffic. Five-minute rows (partitioned by month), hour rows and day rows
 * are written in one transaction. A range is read as its edges in fine rows and its middle in
 * coarse rows: a year costs about as much as a day.
 *
 * Keys begin with what differs. A download of its own costs ten rows and about as many wide index
 * entries, and most of the processor time of a first import. Hours and days are kept by title,
 * then time, with an index by time alone; in every key of traffic the columns that are equal in
 * most rows come last.
 */
import type { HistoryTarget } from './connect.ts'
import type { PostgresJsDatabase } from 'drizzle-orm/postgres-js'
import type { Sql } from 'postgres'
import type * as schema from './schema.ts'

export const historyStates = [
  'stopped',
  'initialising',
  'starting',
  /** A snapshot is made before an update. */
  'copying',
  'migrating',
  'ready',
  'unavailable',
] as const
export type HistoryState = (typeof historyStates)[number]

/** What the replica for reports does; the primary answers while it is not `used`. */
export const replicaStates = [
  'used',
  /** It has not replayed what was committed when it was last asked. */
  'late',
  'away',
] as const

export interface ReplicaStatus {
  state: (typeof replicaStates)[number]
  /** Why it is away, without secrets; null also while it is being reached. */
  message: string | null
}

export interface HistoryStatus {
  mode: 'embedded' | 'external'
  state: HistoryState
  /** What is wrong and what to do, without secrets; null without a problem. */
  message: string | null
  since: Date
  /** Null without one, and while the history is not reached. */
  replica: ReplicaStatus | null
}

/**
 * Reads of one lane share its connections: lists, which may sum a year, and everything else, which
 * never waits for them. A replica may answer them; one that writes is run again by the primary.
 */
export type ReadLane = 'reports' | 'lists'

/**
 * Called whenever the history is reached, before it is migrated. Reports when it begins what takes
 * long; what it rejects with counts as an outage.
 */
export type PrepareUpdate = (sql: Sql, onBegin: () => void) => Promise<void>

/** The main thread's view of the history in Postgres. */
export interface History {
  /** Starts (or connects to) the server and migrates; never throws, retries in the background. */
  start(prepare?: PrepareUpdate): void
  stop(): Promise<void>
  status(): HistoryStatus
  /** Called on every change of state. */
  onStatus(listener: (status: HistoryStatus) => void): void
  /**
   * Runs a query if the history is available. Throws HistoryUnavailable if it is not, or if the
   * connection breaks; routes answer that with 503 and `Retry-After`. Without a lane it
   * may write, and uses the connections of reports.
   */
  read<T>(
    query: (db: PostgresJsDatabase<typeof schema>, sql: Sql) => Promise<T>,
    lane?: ReadLane,
  ): Promise<T>
  /** Reconnects with newly stored credentials. */
  credentialsChanged(): void
  /** Connection parameters for a worker. */
  connection(): HistoryTarget
}

/** The history is unavailable at the moment. The message may be shown to the caller. */
export class HistoryUnavailable extends Error {}

/** A query was stopped because it took too long. */
export class HistorySlow extends HistoryUnavailable {
  readonly seconds: number

  constructor(seconds: number, options?: ErrorOptions) {
    super(`The history did not answer within ${seconds} s; ask for less`, options)
    this.seconds = seconds
  }
}
