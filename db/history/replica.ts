/*
 * Reports can be read from a streaming replica (POSTGRES_READ_HOST). It answers only what it has: the
 * primary is asked how far it has written, and the replica whether it has replayed that, with a short
 * wait. So whatever was committed before a report is in it, by whomever it was written. A replica that
 * is late, away, promoted or of another server is not used; then the primary answers.
 */
import type { Sql } from 'postgres'
import type { Logger } from '../../src/core/lib/log.ts'
import { orLate } from '../../src/core/lib/within.ts'
import { openClient, type HistoryTarget } from './connect.ts'
import { describeFailure, HistoryFault } from './failures.ts'
import { inspectServer, serversOf } from './find-server.ts'
import type { ReplicaStatus } from './history.ts'
import { clientsOf, openLanes, readTimeoutMs, signIn, type Lanes } from './lanes.ts'

/** How long a report waits for the replica; a healthy one is some milliseconds behind. */
const patienceMs = 100
const askEveryMs = 10
/** A replica that does not answer within this is away. */
const answerMs = 1000
/** Pause between attempts to reach one that is away; made only while reports are asked for. */
const retryMs = 5000

interface Reached {
  lanes: Lanes
  control: Sql
}

/** The same for a server and its replicas, and for no others. */
const identityOf = async (sql: Sql) => {
  const [row] = await sql<{ id: string }[]>`
    select system_identifier::text as id from pg_control_system()`
  return row?.id
}

export class Replica {
  readonly #target: HistoryTarget
  readonly #primary: Sql
  readonly #log: Logger
  readonly #closing = new AbortController()
  #reached: Reached | null = null
  #isLate = false
  #isTrying = false
  #triedAt = -Infinity
  #problem: string | null = null

  /** `primary` is asked for its position. Reaches the replica in the background. */
  constructor(target: HistoryTarget, primary: Sql, log: Logger) {
    this.#target = { ...target, ...serversOf(target)[0] }
    this.#primary = primary
    this.#log = log
    this.#retry()
  }

  status(): ReplicaStatus {
    if (this.#reached === null) return { state: 'away', message: this.#problem }
    return { state: this.#isLate ? 'late' : 'used', message: null }
  }

  /** Its connections, if it has everything that was committed until now. */
  async current(): Promise<Lanes | null> {
    const reached = this.#reached
    if (reached === null) {
      this.#retry()
      return null
    }
    try {
      const isCurrent = await orLate(this.#hasReplayed(reached.control), answerMs, null)
      if (isCurrent === null) throw Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })
      this.#isLate = !isCurrent
      return isCurrent ? reached.lanes : null
    } catch (error) {
      this.lost(error)
      return null
    }
  }

  /** A query of its lanes failed because it is away. */
  lost(error: unknown): void {
    const reached = this.#reached
    this.#reached = null
    if (reached !== null) void this.#end(reached)
    this.#note(describeFailure(error, this.#target))
  }

  async close(): Promise<void> {
    this.#closing.abort()
    if (this.#reached !== null) await this.#end(this.#reached)
    this.#reached = null
  }

  async #hasReplayed(control: Sql): Promise<boolean> {
    // What was committed has been flushed; what is written behind it may belong to no commit yet.
    const [primary] = await this.#primary<{ position: string }[]>`
      select pg_current_wal_flush_lsn()::text as position`
    const until = performance.now() + patienceMs
    for (;;) {
      const [replica] = await control<{ isReplica: boolean; isCurrent: boolean }[]>`
        select pg_is_in_recovery() as "isReplica",
          coalesce(pg_last_wal_replay_lsn() >= ${primary?.position ?? ''}::text::pg_lsn, false)
            as "isCurrent"`
      if (replica?.isReplica !== true) throw new HistoryFault('it was promoted')
      if (replica.isCurrent) return true
      if (performance.now() >= until) return false
      await Bun.sleep(askEveryMs)
    }
  }

  #retry(): void {
    const isDue = performance.now() - this.#triedAt >= retryMs
    if (this.#isTrying || !isDue || this.#closing.signal.aborted) return
    this.#isTrying = true
    this.#triedAt = performance.now()
    this.#reach()
      .catch((error: unknown) => this.#note(describeFailure(error, this.#target)))
      .finally(() => (this.#isTrying = false))
  }

  async #reach(): Promise<void> {
    const { target, isReplica } = await inspectServer(this.#target, this.#closing.signal)
    if (!isReplica) throw new HistoryFault('it is no replica')
    const control = openClient(target, {
      name: 'replica',
      connections: 1,
      statementTimeoutMs: readTimeoutMs,
    })
    const reached = { control, lanes: openLanes(target) }
    try {
      const [own, primary] = await Promise.all([identityOf(control), identityOf(this.#primary)])
      if (own !== primary) throw new HistoryFault('it is a replica of another server')
    } catch (error) {
      await this.#end(reached)
      throw error
    }
    if (this.#closing.signal.aborted) return this.#end(reached)
    this.#reached = reached
    signIn(reached.lanes)
    this.#problem = null
    this.#log.info({ host: target.host, port: target.port }, 'reports are read from the replica')
  }

  #note(problem: string): void {
    if (problem === this.#problem || this.#closing.signal.aborted) return
    this.#problem = problem
    this.#log.warn({ reason: problem }, 'the replica is not used; the primary answers reports')
  }

  async #end({ lanes, control }: Reached): Promise<void> {
    await Promise.allSettled([...clientsOf(lanes), control].map((sql) => sql.end({ timeout: 0 })))
  }
}
