import type { Logger } from '../core/lib/log.ts'
import { endWorker } from './end-worker.ts'
import type { FromEngine, Jobs } from './engine.ts'

type Input<F> = F extends (input: infer I, ...rest: never[]) => unknown ? I : never
type Output<F> = F extends (...input: never[]) => infer O ? Awaited<O> : never
type Report = Record<string, number | string | boolean | null>

/** A job failed because its engine died or reported a failure; suitable for a 503. */
export class EngineFailure extends Error {}
/** The engine ended before it answered; it is restarted. */
export class EngineEnded extends EngineFailure {}
/** The engine does not respond: a disk that it reads may be unreachable. */
export class EngineSilent extends EngineFailure {}

/** How long a query waits for an engine that sends nothing at all; requests end at ten seconds. */
const silentMs = 7000
/** The longest wait for one answer, even of an engine that reports being busy. */
const answerMs = 9000

export interface Patience {
  silentMs: number
  answerMs: number
}

export interface RunOptions {
  signal?: AbortSignal | undefined
  progress?: ((report: Report) => void) | undefined
}

interface Pending {
  resolve(output: unknown): void
  reject(error: Error): void
  abort(): void
  progress: ((report: Report) => void) | undefined
}

export interface EngineOptions {
  name: string
  /** `new URL('./x.worker.ts', import.meta.url).href` */
  script: string
  log: Logger
  /** Collects garbage more often; for engines that allocate much and keep little. */
  hasSmallHeap?: boolean
  onEvent?: (event: string, data: unknown) => void
  /** How long queries wait; by default as long as requests may take. */
  patience?: Patience
  /** Called with the message of every failed job. */
  onFailed?: (message: string) => void
  /** Called after the worker died on its own and its jobs were failed. */
  onCrash?: (reason: string) => void
}

/** Main-thread side: one long-lived worker per engine; after a crash, the next job restarts it. */
export class Engine<J extends Jobs> {
  #worker: Worker | undefined
  /** Entries of the worker's thread and those that it started below /proc, once sent. */
  #threads = new Set<string>()
  /** When the worker last sent something, or got a job while idle. */
  #heardMs = 0
  #nextId = 1
  readonly #pending = new Map<number, Pending>()

  readonly #patience: Patience

  readonly options: EngineOptions

  constructor(options: EngineOptions) {
    this.options = options
    this.#patience = options.patience ?? { silentMs, answerMs }
  }

  run<K extends keyof J & string>(
    job: K,
    input: Input<J[K]>,
    options: RunOptions = {},
  ): Promise<Output<J[K]>> {
    const id = this.#nextId++
    const cancel = new SharedArrayBuffer(4)
    const flag = new Int32Array(cancel)
    const abort = () => Atomics.store(flag, 0, 1)
    if (options.signal?.aborted) abort()
    options.signal?.addEventListener('abort', abort, { once: true })
    const finished = new Promise<unknown>((resolve, reject) => {
      if (this.#pending.size === 0) this.#heardMs = performance.now()
      this.#pending.set(id, { resolve, reject, abort, progress: options.progress })
      this.#start().postMessage({ id, job, input, cancel })
    })
    return finished.finally(() => options.signal?.removeEventListener('abort', abort)) as Promise<
      Output<J[K]>
    >
  }

  /**
   * A job that only answers. Throws `EngineSilent` when the engine has sent nothing for some time:
   * it may wait for a disk that never answers, and the caller should not.
   */
  async ask<K extends keyof J & string>(job: K, input: Input<J[K]>): Promise<Output<J[K]>> {
    const silent = () => new EngineSilent(`engine ${this.options.name} does not answer`)
    if (this.#isSilent()) throw silent()
    const askedMs = performance.now()
    let timer: ReturnType<typeof setTimeout> | undefined
    const late = new Promise<never>((_resolve, reject) => {
      const checkSilence = () => {
        const nowMs = performance.now()
        const silentAtMs = this.#heardMs + this.#patience.silentMs
        const leftMs = Math.min(askedMs + this.#patience.answerMs, silentAtMs) - nowMs
        if (leftMs <= 0) reject(silent())
        else timer = setTimeout(checkSilence, leftMs)
      }
      timer = setTimeout(checkSilence, this.#patience.silentMs)
    })
    try {
      return await Promise.race([this.run(job, input), late])
    } finally {
      clearTimeout(timer)
    }
  }

  /**
   * Force kill: works even while the engine is in an endless loop. Every pending job fails and is
   * cancelled. `ended` is called when the worker is really gone; one that waits for a dead disk is
   * not until that answers.
   */
  kill(reason = `engine ${this.options.name} was killed`, ended = () => {}): void {
    const worker = this.#worker
    const pending = [...this.#pending.values()]
    this.#worker = undefined
    this.#pending.clear()
    for (const job of pending) job.abort()
    if (worker === undefined) ended()
    else {
      worker.onmessage = () => {}
      worker.onerror = () => {}
      endWorker(worker, this.#threads, ended)
    }
    this.#threads = new Set()
    for (const job of pending) job.reject(new EngineEnded(reason))
  }

  #isSilent(): boolean {
    return this.#pending.size > 0 && performance.now() - this.#heardMs >= this.#patience.silentMs
  }

  #start(): Worker {
    if (this.#worker !== undefined) return this.#worker
    const worker = new Worker(this.options.script, {
      ref: false,
      smol: this.options.hasSmallHeap ?? false,
    })
    worker.onmessage = ({ data }: MessageEvent<FromEngine>) => this.#receive(data)
    worker.onerror = (event: ErrorEvent) => {
      const reason = `engine ${this.options.name} crashed: ${event.message}`
      this.options.log.error({ reason }, 'engine crashed')
      this.kill(reason)
      this.options.onCrash?.(reason)
    }
    this.#worker = worker
    return worker
  }

  #receive(message: FromEngine): void {
    this.#heardMs = performance.now()
    if (message.kind === 'thread') {
      if (message.thread !== '') this.#threads.add(message.thread)
      return
    }
    if (message.kind === 'event') {
      this.options.onEvent?.(message.event, message.data)
      return
    }
    if (message.kind === 'log') {
      this.options.log[message.level](message.facts, message.text)
      return
    }
    const job = this.#pending.get(message.id)
    if (job === undefined) return
    if (message.kind === 'progress') {
      job.progress?.(message.report)
      return
    }
    this.#pending.delete(message.id)
    if (message.kind === 'done') return job.resolve(message.output)
    job.reject(new EngineFailure(message.message))
    this.options.onFailed?.(message.message)
  }
}
