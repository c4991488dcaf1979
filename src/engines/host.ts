/*
 * `host.ts` supervises all workers alike. After a crash or a failed start, a worker is restarted
 * with delays that grow from half a second to a minute; until then its jobs fail at once. Jobs
 * wait while a worker is being opened. A worker whose job sends nothing within the job's limit is
 * replaced. The engines of logs and cache, which have to open a store, run from `start` to `stop`,
 * and `stop` waits ten seconds at most; a worker of any other engine is started by a job, and may
 * be ended when it is idle, to free its memory.
 */
import { BackOff } from '../core/lib/back-off.ts'
import { systemTimers, type Timers } from '../core/lib/timers.ts'
import { within } from '../core/lib/within.ts'
import type { EngineWorker, FromEngine, JobContext, Jobs, Launch } from './engine.ts'
import { launchThread } from './thread.ts'

/** What a job takes, returns and reports. */
export type Input<F> = F extends (input: infer I, ...rest: never[]) => unknown ? I : never
export type Output<F> = F extends (...input: never[]) => infer O ? Awaited<O> : never
type Progress<F> = F extends (input: never, context: JobContext<infer P>) => unknown ? P : never

/** A job failed because its engine died or reported a failure; suitable for a 503. */
export class EngineFailure extends Error {}
/** The engine ended before it answered, or is not running; it is restarted. */
export class EngineEnded extends EngineFailure {}
/** The engine does not respond: a disk that it reads may be unreachable. */
export class EngineSilent extends EngineFailure {
  /** Settles when the system call that blocks the replaced thread returns; null: none does. */
  readonly blocked: Promise<void> | null

  constructor(message: string, blocked: Promise<void> | null = null) {
    super(message)
    this.blocked = blocked
  }
}

/** How long a query waits for an engine that sends nothing at all; requests end at ten seconds. */
const silentMs = 7000
/** The longest wait for one answer, even of an engine that reports being busy. */
const answerMs = 9000
/** Delays before restarts after a crash. */
const restartMs = { first: 500, last: 60_000 }
/** A worker that ran this long was healthy: the next crash starts with the shortest delay. */
const healthyMs = 60_000
/** Saving takes milliseconds; only a blocked disk takes this long. */
const closeMs = 10_000

export interface Patience {
  silentMs: number
  answerMs: number
}

export interface RunOptions<Report> {
  signal?: AbortSignal
  progress?(report: Report): void
  /** The worker is replaced when the job sends nothing for this long. */
  limitMs?: number
}

type RunJob<J extends Jobs> = <K extends keyof J & string>(
  job: K,
  input: Input<J[K]>,
  options?: RunOptions<Progress<J[K]>>,
) => Promise<Output<J[K]>>

interface Pending {
  resolve(output: never): void
  reject(error: Error): void
  cancel(): void
  progress(report: never): void
}

/** Where an engine writes, and its worker through it. */
export type EngineLog = Record<
  'debug' | 'info' | 'warn' | 'error',
  (facts: object, text: string) => void
>

export interface EngineOptions<J extends Jobs, Events> {
  name: string
  /** From `programScript`. */
  script: string
  log: EngineLog
  timers?: Timers
  /** Collects garbage more often; for engines that allocate much and keep little. */
  hasSmallHeap?: boolean
  /** Runs the jobs elsewhere than in a thread with the script. */
  launch?: Launch | undefined
  /** What the worker sends through `emitter`. */
  on?: { [Name in keyof Events]: (data: Events[Name]) => void }
  /** How long queries wait; by default as long as requests may take. */
  patience?: Patience
  /**
   * Prepares a new worker; jobs wait for it. An engine with this runs from `start` to `stop`; any
   * other is always running, and a job starts its worker.
   */
  open?(run: RunJob<J>): Promise<unknown>
  /** Lets the worker finish before it is stopped. */
  close?(run: RunJob<J>): Promise<unknown>
  /** Ends a worker without jobs after this time, to free its memory. */
  idleMs?: number
  /** Whether a job's failure means that its worker is of no further use. */
  isFatal?(message: string): boolean
  /** Called after a crash, when the jobs have failed. */
  onCrash?(reason: string): void
}

/**
 * Main-thread side of one worker, and its supervision. After a crash, or when it cannot be opened,
 * it is restarted with growing delays, and jobs fail until then. A worker that does not answer
 * within a job's limit is replaced at once.
 */
export class Engine<J extends Jobs, Events = object> {
  readonly #options: EngineOptions<J, Events>
  readonly #patience: Patience
  readonly #timers: Timers
  readonly #backOff = new BackOff(restartMs.first, restartMs.last)
  #worker: EngineWorker | undefined
  /** When the worker last sent something, or got a job while idle. */
  #heardMs = 0
  #nextId = 1
  readonly #pending = new Map<number, Pending>()
  #isRunning: boolean
  /** Pending while a worker is opened, rejected until the next one is. */
  #ready: Promise<unknown> = Promise.resolve()
  /** Incremented whenever `#ready` is replaced. */
  #era = 0
  /** How often a worker was ended, or would have been. */
  #ends = 0
  #startedMs = performance.now()
  #cancelRestart = () => {}
  #cancelIdle = () => {}

  constructor(options: EngineOptions<J, Events>) {
    this.#options = options
    this.#patience = options.patience ?? { silentMs, answerMs }
    this.#timers = options.timers ?? systemTimers
    this.#isRunning = options.open === undefined
    if (!this.#isRunning) this.#refuse('is not running')
  }

  /** Resolves when the first worker is open or was refused; later ones are tried until `stop`. */
  async start(): Promise<void> {
    this.#isRunning = true
    this.#launch()
    await this.#ready.catch(() => {})
  }

  /** Waits for the worker to finish, within a limit. */
  async stop(): Promise<void> {
    if (!this.#isRunning) return
    this.#isRunning = false
    this.#cancelRestart()
    this.#refuse('was stopped')
    const options = this.#options
    if (this.#worker !== undefined && options.close !== undefined) {
      await within(options.close(this.#post), closeMs, null)
    }
    this.kill('was stopped')
  }

  /** Replaces the worker, even one in an endless loop. Resolves as `start` does. */
  async restart(): Promise<void> {
    this.kill()
    await this.#ready.catch(() => {})
  }

  /**
   * Ends the worker, even in an endless loop. Every pending job fails and is cancelled. An engine
   * with `open` launches another worker at once, any other with its next job.
   */
  kill(reason = 'was killed'): void {
    this.#end(() => this.#ended(reason))
    this.#relaunch()
  }

  readonly run: RunJob<J> = async (job, input, options) => {
    const ends = this.#ends
    await this.#ready
    // The worker of a waiting job was ended: it must not begin in the next one.
    if (ends !== this.#ends) throw this.#ended('was ended before the job began')
    return this.#post(job, input, options)
  }

  /**
   * A job that only answers. Throws `EngineSilent` when the engine has sent nothing for some time:
   * it may wait for a disk that never answers, and the caller should not.
   */
  readonly ask: RunJob<J> = async (job, input, options) => {
    if (this.#isSilent()) throw this.#silent()
    const askedMs = performance.now()
    let timer: ReturnType<typeof setTimeout> | undefined
    const late = new Promise<never>((_resolve, reject) => {
      const checkSilence = () => {
        const nowMs = performance.now()
        const silentAtMs = this.#heardMs + this.#patience.silentMs
        const leftMs = Math.min(askedMs + this.#patience.answerMs, silentAtMs) - nowMs
        if (leftMs <= 0) reject(this.#silent())
        else timer = setTimeout(checkSilence, leftMs)
      }
      timer = setTimeout(checkSilence, this.#patience.silentMs)
    })
    try {
      return await Promise.race([this.run(job, input, options), late])
    } finally {
      clearTimeout(timer)
    }
  }

  readonly #post: RunJob<J> = (job, input, options = {}) => {
    const { signal, limitMs } = options
    const id = this.#nextId++
    let cancelLimit = () => {}
    const watch = () => {
      cancelLimit()
      if (limitMs !== undefined) cancelLimit = this.#timers.after(limitMs, () => this.#replace())
    }
    watch()
    this.#cancelIdle()
    if (this.#pending.size === 0) this.#heardMs = performance.now()
    const { promise, resolve, reject } = Promise.withResolvers<Output<J[typeof job]>>()
    const isCancelled = signal?.aborted ?? false
    const cancel = this.#living().post({ id, job, input, isCancelled })
    signal?.addEventListener('abort', cancel, { once: true })
    this.#pending.set(id, {
      resolve,
      reject,
      cancel,
      progress(report) {
        watch()
        options.progress?.(report)
      },
    })
    return promise.finally(() => {
      cancelLimit()
      signal?.removeEventListener('abort', cancel)
      this.#rest()
    })
  }

  #ended(reason: string): EngineEnded {
    return new EngineEnded(`engine ${this.#options.name} ${reason}`)
  }

  #silent(blocked: Promise<void> | null = null): EngineSilent {
    return new EngineSilent(`engine ${this.#options.name} does not answer`, blocked)
  }

  #isSilent(): boolean {
    return this.#pending.size > 0 && performance.now() - this.#heardMs >= this.#patience.silentMs
  }

  #living(): EngineWorker {
    if (this.#worker !== undefined) return this.#worker
    const { name, log, script, hasSmallHeap = false } = this.#options
    const launch = this.#options.launch ?? launchThread(script, hasSmallHeap)
    const worker = launch({
      message: (message) => {
        if (worker === this.#worker) this.#receive(message)
      },
      crash: (reason) => {
        if (worker !== this.#worker) return
        log.error({ engine: name, reason }, 'engine crashed')
        this.#down(`crashed: ${reason}`)
        if (this.#isRunning) this.#options.onCrash?.(`crashed: ${reason}`)
      },
    })
    this.#worker = worker
    return worker
  }

  #launch(): void {
    const { log, name } = this.#options
    const era = ++this.#era
    const isOver = () => era !== this.#era
    const run: RunJob<J> = (job, input, options) =>
      isOver() ? Promise.reject(this.#ended('was replaced')) : this.#post(job, input, options)
    this.#cancelRestart()
    this.#startedMs = performance.now()
    this.#ready = this.#options.open?.(run) ?? Promise.resolve()
    this.#ready.catch((error: unknown) => {
      // It was stopped, restarted or crashed in the meantime.
      if (isOver()) return
      log.error({ engine: name, error: String(error) }, 'engine did not start')
      this.#down(`did not start: ${String(error)}`)
    })
  }

  #relaunch(): void {
    if (this.#isRunning && this.#options.open !== undefined) this.#launch()
  }

  #refuse(reason: string): void {
    this.#era++
    this.#ready = Promise.reject(this.#ended(reason))
    this.#ready.catch(() => {})
  }

  /** Ends the worker and launches another one after a delay. */
  #down(reason: string): void {
    this.#end(() => this.#ended(reason))
    if (!this.#isRunning) return
    this.#refuse(reason)
    if (performance.now() - this.#startedMs > healthyMs) this.#backOff.reset()
    this.#cancelRestart()
    this.#cancelRestart = this.#timers.after(this.#backOff.next(), () => this.#launch())
  }

  /** A job exceeded its limit: the worker hangs. */
  #replace(): void {
    this.#end((blocked) => this.#silent(blocked))
    this.#relaunch()
  }

  /** Ends the worker. One that waits for a dead disk is not gone until that answers. */
  #end(failure: (blocked: Promise<void> | null) => EngineFailure): void {
    this.#ends++
    const worker = this.#worker
    const pending = [...this.#pending.values()]
    this.#worker = undefined
    this.#pending.clear()
    this.#cancelIdle()
    for (const job of pending) job.cancel()
    const blocked = worker?.end() ?? null
    for (const job of pending) job.reject(failure(blocked))
  }

  #rest(): void {
    const { idleMs } = this.#options
    if (idleMs === undefined || this.#worker === undefined || this.#pending.size > 0) return
    this.#cancelIdle()
    this.#cancelIdle = this.#timers.after(idleMs, () => this.kill('was idle'))
  }

  #receive(message: FromEngine<never>): void {
    this.#heardMs = performance.now()
    if (message.kind === 'thread') return
    if (message.kind === 'event') {
      const on: Record<string, (data: never) => void> | undefined = this.#options.on
      // The name may come from another machine.
      if (on !== undefined && Object.hasOwn(on, message.event)) on[message.event]?.(message.data)
      return
    }
    if (message.kind === 'log') {
      this.#options.log[message.level](message.facts, message.text)
      return
    }
    const job = this.#pending.get(message.id)
    if (job === undefined) return
    if (message.kind === 'progress') return job.progress(message.report)
    this.#pending.delete(message.id)
    if (message.kind === 'done') return job.resolve(message.output)
    job.reject(new EngineFailure(message.message))
    if (this.#options.isFatal?.(message.message)) this.#down(`failed: ${message.message}`)
  }
}
