/*
 * The part of a removal that a node has yet to do. A row is written before anything is deleted
 * elsewhere, names what was asked for (a game, findings of a scan, a whole cache) and never files,
 * and goes when the node's operation has completed, so that whatever is killed and when, the part is
 * done at least once; a second time it finds nothing. What clients stored anew after the request
 * stays (`removals/run.ts`), except when whole caches are cleared: they are empty afterwards, as was
 * asked for.
 *
 * Parts of a node run one after another once it is back, findings first, because every other removal
 * makes them out of date. One that fails waits for the next return of the node or of the history, or
 * ten minutes; one that is cancelled goes, and so do those of a node that was removed or revoked.
 */
import { and, asc, count, eq } from 'drizzle-orm'
import { laterRemoval, type LaterWork } from '../../../db/state/schema/removals.ts'
import { AppError, unavailable, orNotFound } from '../../core/http/errors.ts'
import { errorText } from '../../core/lib/error-text.ts'
import type { Named, OperationView, Queued } from '../../core/operations/contract.ts'
import { OperationRefused, unfinished } from '../../core/operations/contract.ts'
import { named } from '../../core/operations/names.ts'
import { isHere, type AwayNode, type NodeHost } from '../../engines/remote/hosts.ts'
import type { CacheParts } from '../parts.ts'

/** Parts that wait at the same time; beyond this, removals that may wait are refused. */
export const laterMax = 1000

/** Suggested retry: a node may be back by then; seconds. */
const retryAfterSeconds = 60

/** Delay before the failed parts of a node that is connected are repeated. */
const retryMs = 600_000

type Row = typeof laterRemoval.$inferSelect

/** What a node that is back has yet to do, and how its operation is named. */
export interface Part {
  datasources: readonly string[]
  requestedAt: Date
  subject: string
  name: Named
  /** Tells the operation from one for all caches. */
  variant: string
}

type WorkOf<Kind> = Extract<LaterWork, { kind: Kind }>
/** Start a part; they are the same removals as those that were requested. */
export type LaterJobs = {
  [Kind in LaterWork['kind']]: (work: WorkOf<Kind>, part: Part) => Queued
}

/** The operation's name: the same as of the request, on the node. */
function nameOf({ work, subject }: Row, node: string): Named {
  if (work.kind === 'clearing') return named('cacheClearingOn', { node })
  if (work.kind === 'corruption') return named('corruptionRemovalOn', { service: subject, node })
  if (work.kind === 'evicted') {
    const { kind } = work.scope
    if (kind === 'bulk') return named('evictedRemovalAllOn', { node })
    return named('evictedRemovalOn', { kind, key: subject, node })
  }
  return work.target.kind === 'service'
    ? named('serviceRemovalOn', { service: subject, node })
    : named('gameRemovalOn', { game: subject, node })
}

function createStore({ db }: CacheParts['state']) {
  const isRow = (id: string) => eq(laterRemoval.id, id)
  return {
    all: () => db.select().from(laterRemoval).orderBy(asc(laterRemoval.requestedAt)).all(),
    count: () => db.select({ n: count() }).from(laterRemoval).get()?.n ?? 0,
    find: (id: string) => db.select().from(laterRemoval).where(isRow(id)).get() ?? null,
    /** A repeated request takes the place of the earlier one. */
    put(row: Omit<Row, 'id' | 'operationId' | 'problem'>) {
      const blank = { operationId: null, problem: null }
      db.insert(laterRemoval)
        .values({ id: crypto.randomUUID(), ...row, ...blank })
        .onConflictDoUpdate({
          target: [laterRemoval.slot, laterRemoval.work],
          set: { ...row, ...blank },
        })
        .run()
    },
    update: (id: string, values: Partial<Pick<Row, 'operationId' | 'problem'>>) =>
      db.update(laterRemoval).set(values).where(isRow(id)).run(),
    /** Unless it was requested anew. */
    delete: ({ id, requestedAt }: Row) =>
      db
        .delete(laterRemoval)
        .where(and(isRow(id), eq(laterRemoval.requestedAt, requestedAt)))
        .run(),
    /** A process that ended lost its operations. */
    forgetOperations: () => db.update(laterRemoval).set({ operationId: null }).run(),
  }
}

type Parts = Pick<
  CacheParts,
  'state' | 'clock' | 'timers' | 'log' | 'hub' | 'history' | 'operations' | 'nodeHosts'
>

/** Removals of which nodes that are away still have a part. */
export class Later {
  readonly #parts: Parts
  readonly #store
  /** Slots whose parts are carried out, and whether to begin anew. */
  readonly #active = new Map<number, { again: boolean }>()
  /** Ends the wait for the next attempt, by slot. */
  readonly #retries = new Map<number, () => void>()
  readonly #waiters = new Set<() => void>()
  #jobs: LaterJobs | null = null
  #isStopped = false

  constructor(parts: Parts) {
    this.#parts = parts
    this.#store = createStore(parts.state)
    this.#store.forgetOperations()
  }

  start(jobs: LaterJobs): void {
    const { nodeHosts, history, operations } = this.#parts
    this.#jobs = jobs
    for (const row of this.#store.all()) {
      const host = this.#hostOf(row)
      if (host === undefined || host.datasources().length === 0) this.#dropOf(row.slot)
    }
    nodeHosts.onChange((host) => this.#changed(host))
    history.onStatus(({ state }) => {
      if (state === 'ready') for (const host of nodeHosts.all()) this.#takeUp(host)
    })
    operations.onChange(() => {
      for (const waiter of this.#waiters) waiter()
    })
  }

  /** What is carried out is continued after the next start. */
  stop(): void {
    this.#isStopped = true
    for (const cancel of this.#retries.values()) cancel()
  }

  /** Throws `unavailable` while too many parts wait. */
  requireCapacity(): void {
    if (this.#store.count() < laterMax) return
    const text = `${laterMax} removals wait for nodes that are away; cancel some of them`
    throw unavailable(text, retryAfterSeconds)
  }

  /** Notes the nodes' part of a removal. */
  keep(left: readonly AwayNode[], { work, subject }: Pick<Row, 'work' | 'subject'>): void {
    if (left.length === 0) return
    const requestedAt = this.#parts.clock.now()
    for (const { slot, datasources } of left) {
      this.#store.put({ slot, datasources: [...datasources], work, subject, requestedAt })
    }
    this.#publish()
    // It may have come back while it was noted.
    for (const { slot } of left) {
      const host = this.#parts.nodeHosts.all().find((one) => one.slot === slot)
      if (host !== undefined) this.#takeUp(host)
    }
  }

  list() {
    return this.#store.all().map((row) => {
      const host = this.#hostOf(row)
      const { id, datasources, operationId, problem } = row
      const node = host?.name ?? ''
      const awaySinceUtc = host?.awaySince()?.toISOString() ?? null
      const requestedAtUtc = row.requestedAt.toISOString()
      const facts = { datasources, operationId, problem, requestedAtUtc, awaySinceUtc }
      return { id, node, ...nameOf(row, node), ...facts }
    })
  }

  /** Throws `notFound`, and `conflict` while it is carried out. */
  cancel(id: string): void {
    const row = orNotFound(this.#store.find(id), 'The removal does not wait for a node')
    const { operationId } = row
    if (operationId !== null) {
      const text = 'The removal is being carried out; cancel that operation'
      throw new AppError('conflict', text, { extra: { operationId } })
    }
    this.#drop(row, 'it was cancelled')
  }

  #hostOf({ slot }: Pick<Row, 'slot'>): NodeHost | undefined {
    return this.#parts.nodeHosts.all().find((host) => host.slot === slot)
  }

  #changed(host: NodeHost): void {
    if (this.#hostOf(host) === undefined) this.#dropOf(host.slot)
    else this.#takeUp(host)
  }

  #rowsOf(slot: number): Row[] {
    const rank = ({ work }: Row) => (work.kind === 'corruption' ? 0 : 1)
    const rows = this.#store.all().filter((row) => row.slot === slot)
    return rows.toSorted((a, b) => rank(a) - rank(b))
  }

  #dropOf(slot: number): void {
    for (const row of this.#rowsOf(slot)) this.#drop(row, 'the node was removed')
  }

  #drop(row: Row, reason: string): void {
    this.#store.delete(row)
    const facts = { work: row.work, datasources: row.datasources }
    this.#parts.log.info(facts, `a removal no longer waits for its node: ${reason}`)
    this.#publish()
  }

  #takeUp(host: NodeHost): void {
    if (!isHere(host) || this.#isStopped) return
    const active = this.#active.get(host.slot)
    if (active !== undefined) {
      active.again = true
      return
    }
    const state = { again: true }
    this.#active.set(host.slot, state)
    const carryOut = async () => {
      while (state.again) {
        state.again = false
        for (const { id } of this.#rowsOf(host.slot)) await this.#carryOut(id, host)
      }
    }
    carryOut()
      .catch((error: unknown) => {
        this.#parts.log.error({ err: error, node: host.name }, 'removals of a node were left')
      })
      .finally(() => {
        this.#active.delete(host.slot)
        if (isHere(host) && this.#rowsOf(host.slot).length > 0) this.#retry(host)
      })
  }

  #retry(host: NodeHost): void {
    if (this.#isStopped) return
    this.#retries.get(host.slot)?.()
    const retry = this.#parts.timers.after(retryMs, () => this.#takeUp(host))
    this.#retries.set(host.slot, retry)
  }

  async #carryOut(id: string, host: NodeHost): Promise<void> {
    const row = this.#store.find(id)
    if (row === null || this.#isStopped || !isHere(host)) return
    const datasources = row.datasources.filter((name) => host.datasources().includes(name))
    if (datasources.length === 0) return this.#drop(row, 'its datasources are no longer there')
    const { requestedAt, subject } = row
    const job = { name: nameOf(row, host.name), variant: `node:${host.slot}` }
    const part = { datasources, requestedAt, subject, ...job }
    try {
      const { operationId } = this.#submit(row.work, part)
      this.#store.update(id, { operationId, problem: null })
      this.#publish()
      this.#settle(row, await this.#end(operationId))
    } catch (error) {
      if (!(error instanceof OperationRefused)) throw error
      // The queue is full: an operation that ends makes room.
      this.#store.update(id, { problem: errorText(error) })
      if (this.#isStopped) return
      await this.#nextChange()
      return this.#carryOut(id, host)
    }
  }

  #submit<Kind extends LaterWork['kind']>(work: WorkOf<Kind>, part: Part): Queued {
    if (this.#jobs === null) throw new Error('nothing is carried out before the start')
    const job = this.#jobs[work.kind] as (work: WorkOf<Kind>, part: Part) => Queued
    return job(work, part)
  }

  #settle(row: Row, view: OperationView | null): void {
    // The end of the service ends operations too.
    if (this.#isStopped) return
    if (view?.status === 'completed') this.#store.delete(row)
    else if (view?.status === 'cancelled') this.#drop(row, 'its operation was cancelled')
    else if (view?.stageKey === 'signalr.corruptionRemove.stale') {
      this.#drop(row, 'its scan is out of date')
    } else {
      this.#store.update(row.id, { operationId: null, problem: view?.error ?? null })
    }
    this.#publish()
  }

  #nextChange(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiters.add(resolve)
    return promise.finally(() => this.#waiters.delete(resolve))
  }

  async #end(operationId: string): Promise<OperationView | null> {
    for (;;) {
      const view = this.#parts.operations.find(operationId)
      if (view === null || !unfinished.has(view.status)) return view
      await this.#nextChange()
    }
  }

  #publish(): void {
    this.#parts.hub.publish('LaterRemovalsChanged', { waiting: this.#store.count() })
  }
}
