import { drizzle } from 'drizzle-orm/postgres-js'
import type { PostgresJsDatabase } from 'drizzle-orm/postgres-js'
import type { Sql } from 'postgres'
import type { Config } from '../../src/core/config.ts'
import type { Logger } from '../../src/core/lib/log.ts'
import { openClient, reachClient, type HistoryTarget } from './connect.ts'
import { describeFailure, failureCode, failureKind } from './failures.ts'
import {
  HistorySlow,
  HistoryUnavailable,
  type History,
  type HistoryState,
  type HistoryStatus,
  type PrepareUpdate,
  type ReadLane,
} from './history.ts'
import { migrateHistory } from './migrate.ts'
import { createDatabaseServer, type DatabaseServer } from './database-server.ts'
import * as schema from './schema.ts'
import { BackOff } from '../../src/core/lib/back-off.ts'
import { Pause } from '../../src/core/lib/pause.ts'
import { endsWithin } from '../../src/core/lib/within.ts'

/** Parallel readers by lane; further queries wait for a free connection of theirs. */
const laneConnections: Record<ReadLane, number> = { reports: 5, lists: 2 }
/** Longer queries are cancelled, so that one report cannot hold the pool. */
const readTimeoutMs = 15_000
/** How often a healthy connection is checked, and how long an answer may take. */
const checkEveryMs = 2000
const checkTimeoutMs = 2500
const firstRetryMs = 250
const lastRetryMs = 5000
/** Seconds that running queries get when the service stops. */
const closeSeconds = 2

interface Lane {
  db: PostgresJsDatabase<typeof schema>
  readers: Sql
}

function openLane(target: HistoryTarget, lane: ReadLane): Lane {
  const readers = openClient(target, {
    name: lane === 'reports' ? 'reader' : 'lister',
    connections: laneConnections[lane],
    statementTimeoutMs: readTimeoutMs,
    isReader: true,
  })
  return { readers, db: drizzle({ client: readers, schema, casing: 'snake_case' }) }
}

/** Signing in costs more than most reports: opens all connections before the first query. */
function openAll(lanes: Record<ReadLane, Lane>): void {
  for (const { readers } of [lanes.reports, lanes.lists]) {
    for (let count = 0; count < readers.options.max; count++) readers`select 1`.catch(() => {})
  }
}

interface Session {
  lanes: Record<ReadLane, Lane>
  /**
   * A separate connection for migrations and health checks, so that busy readers do not look like
   * an outage.
   */
  control: Sql
}

type Listener = (status: HistoryStatus) => void

class HistoryService implements History {
  readonly #log: Logger
  readonly #server: DatabaseServer
  readonly #listeners: Listener[] = []
  #status: HistoryStatus
  #session: Session | null = null
  #loop: Promise<void> | null = null
  #stopping = new AbortController()
  #mustReconnect = false
  #prepare: PrepareUpdate = () => Promise.resolve()
  /** Ends the current wait: an event requires a check at once. */
  readonly #pause = new Pause()

  constructor(server: DatabaseServer, log: Logger) {
    this.#server = server
    this.#log = log
    this.#status = { mode: server.mode, state: 'stopped', message: null, since: new Date() }
    server.onLost(() => this.#pause.end())
  }

  start(prepare: PrepareUpdate = () => Promise.resolve()): void {
    if (this.#loop !== null) return
    this.#prepare = prepare
    this.#stopping = new AbortController()
    this.#loop = this.#run(this.#stopping.signal)
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#pause.end()
    // At once: the loop may be waiting for an answer that never comes.
    await this.#closeSession(closeSeconds)
    await this.#loop
    this.#loop = null
    await this.#server.stop()
    this.#set('stopped', null)
  }

  status(): HistoryStatus {
    return { ...this.#status }
  }

  onStatus(listener: Listener): void {
    this.#listeners.push(listener)
  }

  credentialsChanged(): void {
    this.#server.credentialsChanged()
    this.#mustReconnect = true
    this.#pause.end()
  }

  connection(): HistoryTarget {
    return this.#server.target()
  }

  async read<T>(
    query: (db: PostgresJsDatabase<typeof schema>, sql: Sql) => Promise<T>,
    lane: ReadLane = 'reports',
  ): Promise<T> {
    const session = this.#session
    if (session === null || this.#status.state !== 'ready') {
      throw new HistoryUnavailable('The history database is not available at the moment')
    }
    try {
      const { db, readers } = session.lanes[lane]
      return await query(db, readers)
    } catch (error) {
      throw this.#translated(error)
    }
  }

  #translated(error: unknown): unknown {
    const kind = failureKind(error)
    if (kind === 'other') return error
    if (kind === 'timeout') return new HistorySlow(readTimeoutMs / 1000, { cause: error })
    this.#log.warn({ code: failureCode(error) }, 'a history query failed')
    this.#pause.end()
    const text = 'The history database is not available at the moment'
    return new HistoryUnavailable(text, { cause: error })
  }

  #set(state: HistoryState, message: string | null): void {
    if (state === this.#status.state && message === this.#status.message) return
    this.#status = { mode: this.#server.mode, state, message, since: new Date() }
    const level = state === 'unavailable' ? 'warn' : 'info'
    this.#log[level]({ mode: this.#server.mode, reason: message ?? undefined }, `history ${state}`)
    for (const listener of this.#listeners) {
      try {
        listener(this.status())
      } catch (err) {
        this.#log.error({ err }, 'a listener to the history state failed')
      }
    }
  }

  /** Never throws: every failure becomes a state, a wait and another attempt. */
  async #run(signal: AbortSignal): Promise<void> {
    const backOff = new BackOff(firstRetryMs, lastRetryMs)
    while (!signal.aborted) {
      try {
        await this.#open(signal)
        backOff.reset()
        await this.#watch(signal)
      } catch (error) {
        if (signal.aborted) break
        const code = failureCode(error)
        this.#server.onRefused(code)
        const text = describeFailure(error, this.#server.target())
        this.#log.debug({ err: error }, 'history failed')
        this.#set('unavailable', text)
      }
      await this.#closeSession(0)
      if (signal.aborted) break
      await this.#wait(backOff.next())
    }
  }

  async #open(signal: AbortSignal): Promise<void> {
    this.#mustReconnect = false
    await this.#server.start(signal, (phase) => this.#report(phase))
    if (signal.aborted) return
    const target = this.#server.target()
    const options = { name: 'control', connections: 1, statementTimeoutMs: 0, signal }
    const control = await reachClient(target, options)
    const lanes = { reports: openLane(target, 'reports'), lists: openLane(target, 'lists') }
    this.#session = { lanes, control }
    if (signal.aborted) return
    await this.#prepare(control, () => this.#set('copying', null))
    if (signal.aborted) return
    this.#report('migrating')
    await migrateHistory(control, undefined, () => this.#set('migrating', null))
    openAll(lanes)
    if (!signal.aborted) this.#set('ready', null)
  }

  /** A step towards `ready`. Keeps the reported problem until it is really solved. */
  #report(phase: 'initialising' | 'starting' | 'migrating'): void {
    if (this.#status.state !== 'unavailable') this.#set(phase, null)
  }

  /** Returns when the service stops, throws when the connection or the server is lost. */
  async #watch(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#wait(checkEveryMs)
      if (this.#mustReconnect) {
        // Notifies the listeners, because workers need the new credentials, too.
        this.#set('starting', null)
        return
      }
      const fault = this.#server.fault()
      if (fault !== null) throw fault
      if (signal.aborted || this.#session === null) return
      const answer = this.#session.control`select 1`.execute()
      if (!(await endsWithin(answer, checkTimeoutMs))) {
        throw Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })
      }
    }
  }

  #wait(ms: number): Promise<void> {
    const waited = this.#pause.wait(ms)
    if (this.#stopping.signal.aborted) this.#pause.end()
    return waited
  }

  async #closeSession(timeout: number): Promise<void> {
    const session = this.#session
    this.#session = null
    if (session === null) return
    const { lanes, control } = session
    const clients = [lanes.reports.readers, lanes.lists.readers, control]
    await Promise.allSettled(clients.map((client) => client.end({ timeout })))
  }
}

/** The configured history: a private server of our own, or an external one. */
export function createHistory(config: Config, log: Logger): History {
  const part = log.child({ part: 'history' })
  return new HistoryService(createDatabaseServer(config, part), part)
}
