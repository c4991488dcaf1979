import type { PostgresJsDatabase } from 'drizzle-orm/postgres-js'
import type { Sql } from 'postgres'
import type { Config } from '../../src/core/config.ts'
import type { Logger } from '../../src/core/lib/log.ts'
import { reachClient, type HistoryTarget } from './connect.ts'
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
import { clientsOf, openLanes, readTimeoutMs, signIn, type Lanes } from './lanes.ts'
import { Replica } from './replica.ts'
import type * as schema from './schema.ts'
import { BackOff } from '../../src/core/lib/back-off.ts'
import { Pause } from '../../src/core/lib/pause.ts'
import { endsWithin, orLate } from '../../src/core/lib/within.ts'

/**
 * What the primary has removed, a replica may have to remove from under a query; and it refuses one that
 * writes before it has changed anything.
 */
const onlyOnReplica = new Set(['40001', '25006'])
/** How often a healthy connection is checked. */
const checkEveryMs = 2000
/** A machine with a busy disk takes seconds to answer; ending its sessions would make that an outage. */
const checkTimeoutMs = 10_000
/** The server ends a query before; it cannot tell that the network is gone. */
const replicaTimeoutMs = readTimeoutMs + 1000
const firstRetryMs = 250
const lastRetryMs = 5000
/** Seconds that running queries get when the service stops. */
const closeSeconds = 2

interface Session {
  lanes: Lanes
  /**
   * A separate connection for migrations and health checks, so that busy readers do not look like
   * an outage.
   */
  control: Sql
  /** Null unless POSTGRES_READ_HOST names one. */
  replica: Replica | null
}

type Listener = (status: HistoryStatus) => void

class HistoryService implements History {
  readonly #log: Logger
  readonly #server: DatabaseServer
  readonly #listeners: Listener[] = []
  #status: Omit<HistoryStatus, 'replica'>
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
    return { ...this.#status, replica: this.#session?.replica?.status() ?? null }
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
    lane?: ReadLane,
  ): Promise<T> {
    const session = this.#session
    if (session === null || this.#status.state !== 'ready') {
      throw new HistoryUnavailable('The history database is not available at the moment')
    }
    if (lane !== undefined && session.replica !== null) {
      const answer = await this.#readReplica(session.replica, query, lane)
      if (answer !== null) return answer.value
    }
    try {
      const { db, readers } = session.lanes[lane ?? 'reports']
      return await query(db, readers)
    } catch (error) {
      throw this.#translated(error)
    }
  }

  /** Null: the primary has to answer. */
  async #readReplica<T>(
    replica: Replica,
    query: (db: PostgresJsDatabase<typeof schema>, sql: Sql) => Promise<T>,
    lane: ReadLane,
  ): Promise<{ value: T } | null> {
    const lanes = await replica.current()
    if (lanes === null) return null
    try {
      const { db, readers } = lanes[lane]
      const value = query(db, readers)
      if (await endsWithin(value, replicaTimeoutMs)) return { value: await value }
      throw Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })
    } catch (error) {
      const kind = failureKind(error)
      if (kind === 'connection') replica.lost(error)
      else if (!onlyOnReplica.has(failureCode(error) ?? '')) throw this.#translated(error)
      return null
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
    const lanes = openLanes(target)
    const replicaTarget = this.#server.replica()
    const replica = replicaTarget === null ? null : new Replica(replicaTarget, control, this.#log)
    this.#session = { lanes, control, replica }
    if (signal.aborted) return
    await this.#prepare(control, () => this.#set('copying', null))
    if (signal.aborted) return
    this.#report('migrating')
    await migrateHistory(control, undefined, () => this.#set('migrating', null))
    signIn(lanes)
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
      const { control } = this.#session
      const [answer] = await orLate(
        control<{ isReplica: boolean }[]>`select pg_is_in_recovery() as "isReplica"`,
        checkTimeoutMs,
        [],
      )
      if (answer === undefined) {
        throw Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })
      }
      // A former primary came back as a replica: another one takes the writes.
      if (answer.isReplica) throw Object.assign(new Error('a replica'), { code: '25006' })
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
    const { lanes, control, replica } = session
    await replica?.close()
    const clients = [...clientsOf(lanes), control]
    await Promise.allSettled(clients.map((client) => client.end({ timeout })))
  }
}

/** The configured history: a private server of our own, or an external one. */
export function createHistory(config: Config, log: Logger): History {
  const part = log.child({ part: 'history' })
  return new HistoryService(createDatabaseServer(config, part), part)
}
