/*
 * Registry, conflict matrix and wait queue of long jobs. A job is a row of `state.sqlite` before
 * it runs and history after it ends; a restart marks jobs that were running as failed. What runs at a
 * daemon may outlive the service: such a job is held until it is known whether something goes on,
 * and a job that goes on with it keeps its id. A held job can be cancelled: what goes on with it begins
 * with an aborted signal, so that the daemon is told.
 *
 * A job that conflicts waits. The matrix in `conflicts.ts` says which types and scopes may run
 * side by side. A job waits for running jobs it conflicts with and for queued ones before it, so a
 * job that excludes many others gets its turn; a job that conflicts with neither overtakes. At
 * most eight removals run at one time, because each asks the history and the index for everything
 * they know. Clearing excludes everything but the jobs that only ask servers outside (images,
 * status check): one that cannot be reached would keep a user waiting for half a minute.
 *
 * A different request is a different job. A request joins a running job only when it asks for
 * exactly the same: type, scope and `variant` (the chosen candidates of a scan, full or quick, an
 * accepted loss). Otherwise it is queued, so nothing that was asked for is dropped.
 *
 * Force kill waits five seconds for a job to obey its cancel signal, then ends the engine it runs
 * on.
 */
import type { StateDatabase } from '../../../db/state/open.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/log.ts'
import { systemTimers, type Timers } from '../lib/timers.ts'
import type { Hub } from '../live/contract.ts'
import { Announcer } from './announcer.ts'
import {
  OperationRefused,
  outlivingTypes,
  type CancelOutcome,
  type Named,
  type OperationRequest,
  type OperationResult,
  type Operations,
  type OperationStatus,
  type OperationType,
  type OperationView,
  type Queued,
  type WaitingView,
} from './contract.ts'
import { createEntry, isOver, type Entry } from './entry.ts'
import { force, stopAll } from './force.ts'
import { outcomeOf, runJob } from './run.ts'
import { stageKey } from './stage-keys.ts'
import { createOperationStore, type OperationStore } from './store.ts'
import { WaitQueue } from './wait-queue.ts'

/** An ended job stays in `get` and `list` this long. */
const visibleAfterEndMs = 10_000
const retryStartMs = 100
const startRetriesMax = 300

export interface OperationsParts {
  state: StateDatabase
  clock: Clock
  log: Logger
  hub: Pick<Hub, 'publish'>
  timers?: Timers
}

/** The registry that starts, tracks and stops every long job of the service. */
export function createOperations(parts: OperationsParts): Operations {
  return new Registry(parts)
}

class Registry implements Operations {
  readonly #clock: Clock
  readonly #timers: Timers
  readonly #log: Logger
  readonly #store: OperationStore
  readonly #announcer: Announcer
  readonly #active = new Map<string, Entry>()
  readonly #queue = new WaitQueue()
  /** Ended less than ten seconds ago, in the order of their end. */
  readonly #ended = new Map<string, Entry>()
  readonly #listeners: (() => void)[] = []
  #interrupted: readonly OperationView[] = []
  readonly #interruptedListeners: ((jobs: readonly OperationView[]) => void)[] = []
  /** Of a previous process; something may go on with them. */
  readonly #held = new Map<string, OperationView>()
  #cancelRetry: (() => void) | null = null
  #isStopping = false

  constructor({ state, clock, log, hub, timers }: OperationsParts) {
    this.#clock = clock
    this.#log = log
    this.#timers = timers ?? systemTimers
    this.#store = createOperationStore(state)
    this.#announcer = new Announcer(hub)
  }

  submit(request: OperationRequest): Queued {
    if (this.#isStopping) throw new OperationRefused('The service is stopping')
    const running = this.#running(request.type, request.scope)
    const isSame = running?.request.variant === request.variant
    if (running !== undefined && isSame && running.view.status !== 'cancelling') {
      return queued(running, { queued: false, alreadyRunning: true, status: 'alreadyRunning' })
    }
    const waiting = this.#queue.same(request)
    if (waiting !== undefined) {
      return queued(waiting, { queued: true, alreadyRunning: true, status: 'waiting' })
    }
    const before = this.#held.get(request.continues ?? '')
    const entry = createEntry(request, this.#clock, before)
    const isCancelled = before?.status === 'cancelling'
    const blocker = this.#queue.blocker(entry, this.#active.values())
    if (!isCancelled && (blocker !== null || !this.#isReady(entry))) {
      this.#park(entry, blocker)
      this.#held.delete(entry.view.id)
      return queued(entry, { queued: true, alreadyRunning: false, status: 'waiting' })
    }
    this.#store.insert(entry.view)
    this.#held.delete(entry.view.id)
    this.#start(entry)
    if (isCancelled) this.cancel(entry.view.id)
    return queued(entry, { queued: false, alreadyRunning: false, status: 'started' })
  }

  get(id: string): OperationView | null {
    return this.#entry(id)?.view ?? this.#held.get(id) ?? null
  }

  find(id: string): OperationView | null {
    return this.get(id) ?? this.#store.find(id)
  }

  list(): OperationView[] {
    const entries = [...this.#active.values(), ...this.#queue.values(), ...this.#ended.values()]
    return [...entries.map(({ view }) => view), ...this.#held.values()]
  }

  active(type: OperationType, scope?: string): OperationView | null {
    return this.#running(type, scope)?.view ?? null
  }

  waiting(): WaitingView[] {
    return [...this.#queue.values()].map(({ view, blockedBy }) => ({
      operationId: view.id,
      operationType: view.type,
      name: view.name,
      blockedBy,
    }))
  }

  recent(options: { limit: number; includeSilent?: boolean }): OperationView[] {
    return this.#store.recent(options)
  }

  cancel(id: string): CancelOutcome | null {
    const entry = this.#entry(id)
    const held = this.#held.get(id)
    if (held !== undefined) {
      const view = { ...held, status: 'cancelling' } as const
      this.#held.set(id, view)
      this.#write(view)
      this.#announcer.updated(view)
      return { status: view.status, alreadyFinished: false }
    }
    if (entry === undefined) {
      const past = this.#store.find(id)
      return past === null ? null : { status: past.status, alreadyFinished: true }
    }
    if (isOver(entry.view)) return { status: entry.view.status, alreadyFinished: true }
    // What goes on at a daemon is cancelled there.
    if (this.#queue.has(id) && entry.isContinued && !this.#isStopping) this.#promote(entry)
    if (this.#queue.has(id)) {
      this.#unpark(entry, { status: 'cancelled', error: null })
      this.#pump()
    } else if (entry.view.status !== 'cancelling') {
      this.#change(entry, { status: 'cancelling' })
      this.#announcer.updated(entry.view)
      entry.controller.abort()
    }
    return { status: entry.view.status, alreadyFinished: false }
  }

  async forceKill(id: string): Promise<OperationStatus | null> {
    if (this.#held.has(id)) return this.cancel(id)?.status ?? null
    const entry = this.#entry(id)
    if (entry === undefined || isOver(entry.view)) return null
    this.cancel(id)
    const error = 'Stopped by force'
    await force(entry, { timers: this.#timers, log: this.#log }, () => {
      this.#end(entry, { kind: 'failed', error })
    })
    return entry.view.status
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener)
  }

  recover(): number {
    const left = this.#store.unfinished()
    const isHeld = ({ type, startedAt }: OperationView) =>
      startedAt !== null && outlivingTypes.has(type)
    for (const view of left) if (isHeld(view)) this.#held.set(view.id, view)
    this.#interrupted = this.#interrupt(left.filter((view) => !isHeld(view)))
    this.#store.prune()
    return this.#interrupted.length
  }

  #interrupt(left: readonly OperationView[]): OperationView[] {
    return left.map((view) => this.#store.interrupt(view, this.#clock.now()))
  }

  held(type: OperationType): OperationView[] {
    return [...this.#held.values()].filter((view) => view.type === type)
  }

  endHeld(): void {
    const ended = this.#interrupt([...this.#held.values()])
    this.#held.clear()
    for (const view of ended) this.#announcer.updated(view)
    for (const listener of this.#interruptedListeners) listener(ended)
  }

  onInterrupted(listener: (jobs: readonly OperationView[]) => void): void {
    this.#interruptedListeners.push(listener)
    listener(this.#interrupted)
  }

  forget(endedBefore: Date): number {
    return this.#store.removeBefore(endedBefore)
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    this.#cancelRetry?.()
    for (const { view, request } of [...this.#queue.values(), ...this.#active.values()]) {
      if (view.startedAt === null || request.outlives?.() !== true) this.cancel(view.id)
      else if (!this.#active.delete(view.id)) this.#queue.delete(view.id)
    }
    await stopAll([...this.#active.values()], { timers: this.#timers, log: this.#log }, (entry) => {
      this.#end(entry, { kind: 'failed', error: 'Interrupted: the service was stopped' })
    })
  }

  #entry(id: string): Entry | undefined {
    return this.#active.get(id) ?? this.#queue.get(id) ?? this.#ended.get(id)
  }

  #running(type: OperationType, scope?: string): Entry | undefined {
    for (const entry of this.#active.values()) {
      const { view } = entry
      if (view.type === type && (scope === undefined || view.scope === scope)) return entry
    }
    return undefined
  }

  /** Views are replaced, never mutated: a view that was handed out stays as it was. */
  #change(entry: Entry, values: Partial<OperationView>): void {
    entry.view = { ...entry.view, ...values }
    this.#write(entry.view)
  }

  #write(view: OperationView): void {
    try {
      this.#store.update(view)
    } catch (error) {
      // The job continues: a full disk must not turn one failed row into a blocked queue.
      this.#log.error({ err: error, operationId: view.id }, 'operation row not written')
    }
    for (const listener of this.#listeners) listener()
  }

  #park(entry: Entry, blocker: Entry | null): void {
    this.#queue.checkCapacity()
    entry.view = { ...entry.view, status: 'waiting' }
    this.#store.insert(entry.view)
    entry.blockedBy = namedOf(blocker)
    this.#queue.set(entry.view.id, entry)
    this.#announcer.updated(entry.view)
    this.#announcer.waiting(entry.view, blocker?.view.name ?? null)
    if (blocker === null) this.#retryLater()
  }

  #unpark(entry: Entry, end: { status: 'cancelled' | 'failed'; error: string | null }): void {
    this.#queue.delete(entry.view.id)
    const isCancelled = end.status === 'cancelled'
    const stage = stageKey(entry.view, isCancelled ? 'cancelled' : 'error.fatal')
    this.#announcer.waitingOver(entry.view, {
      cancelled: isCancelled,
      promoted: false,
      error: end.error,
    })
    this.#settle(entry, { ...end, stageKey: stage })
  }

  #promote(entry: Entry): void {
    this.#queue.delete(entry.view.id)
    this.#announcer.waitingOver(entry.view, { cancelled: false, promoted: true, error: null })
    this.#start(entry)
  }

  #isReady(entry: Entry): boolean {
    try {
      return entry.request.isReady?.() ?? true
    } catch (error) {
      this.#log.warn({ err: error, operationId: entry.view.id }, 'readiness of operation unknown')
      return false
    }
  }

  #start(entry: Entry): void {
    this.#active.set(entry.view.id, entry)
    this.#change(entry, {
      status: 'running',
      startedAt: entry.view.startedAt ?? this.#clock.now(),
      stageKey: stageKey(entry.view, 'starting'),
    })
    this.#announcer.updated(entry.view)
    this.#announcer.started(entry.view, entry.request)
    const job = runJob(
      entry,
      { clock: this.#clock, timers: this.#timers, log: this.#log },
      {
        apply: (values) => {
          entry.view = { ...entry.view, ...values }
        },
        pass: (fields) => {
          // A job that was left goes on in the next process.
          if (!this.#active.has(entry.view.id)) return
          this.#change(entry, {})
          this.#announcer.updated(entry.view)
          this.#announcer.progress(entry.view, entry.request, fields)
        },
      },
    )
    void job.then((result) => this.#end(entry, result))
  }

  #end(entry: Entry, result: OperationResult): void {
    if (isOver(entry.view)) return
    entry.throttle?.flush()
    this.#active.delete(entry.view.id)
    this.#settle(entry, outcomeOf(result, entry.view))
    this.#announcer.complete(entry.view, entry.request, result.fields)
    this.#pump()
  }

  /** Final status: stored, published, visible for a while, then only in the history. */
  #settle(entry: Entry, values: Partial<OperationView>): void {
    const { id } = entry.view
    this.#ended.set(id, entry)
    this.#change(entry, { ...values, finishedAt: this.#clock.now() })
    this.#announcer.updated(entry.view)
    this.#timers.after(visibleAfterEndMs, () => void this.#ended.delete(id))
    entry.ended.resolve()
    try {
      this.#store.prune()
    } catch (error) {
      this.#log.warn({ err: error }, 'operation history not pruned')
    }
  }

  /** Starts every queued job whose conflict is gone, oldest first. */
  #pump(): void {
    if (this.#isStopping) return
    // A job that leaves the queue meanwhile is not visited.
    for (const entry of this.#queue.values()) {
      const blocker = this.#queue.blocker(entry, this.#active.values())
      if (blocker !== null) this.#publishBlocker(entry, blocker)
      else if (this.#isReady(entry)) {
        this.#promote(entry)
      } else if (++entry.refusedStarts >= startRetriesMax) {
        this.#unpark(entry, { status: 'failed', error: 'A previous run did not end in time' })
      } else {
        this.#publishBlocker(entry, null)
        this.#retryLater()
      }
    }
  }

  #publishBlocker(entry: Entry, blocker: Entry | null): void {
    const blockedBy = namedOf(blocker)
    if (entry.blockedBy?.name === blockedBy?.name) return
    entry.blockedBy = blockedBy
    this.#announcer.waiting(entry.view, blockedBy?.name ?? null)
  }

  #retryLater(): void {
    this.#cancelRetry ??= this.#timers.after(retryStartMs, () => {
      this.#cancelRetry = null
      this.#pump()
    })
  }
}

const namedOf = (entry: Entry | null): Named | null => {
  if (entry === null) return null
  const { name, nameKey, nameContext } = entry.view
  return { name, nameKey, nameContext }
}

const queued = (entry: Entry, rest: Omit<Queued, 'operationId'>): Queued => ({
  operationId: entry.view.id,
  ...rest,
})
