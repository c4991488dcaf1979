/*
 * All requests of a run share what is known about the cache: while it is away, each further request
 * only fails, too. After some faults in a row, or when the cache asks for a pause, requests wait
 * here; one at a time is sent after growing pauses, and its success lets the others go on. What
 * fails meanwhile is not the object's fault: it is limited by time, not by attempts.
 */
import { BackOff } from '../../../core/lib/back-off.ts'
import { orAborted, pause } from '../../../core/lib/pause.ts'
import { CacheNotFound } from './cache-address.ts'
import { ContentFault } from './content-fault.ts'

/** How long a run waits for its cache; in milliseconds. */
export interface Patience {
  /** Before the next request after a fault; doubled by each further fault. */
  firstPauseMs: number
  longestPauseMs: number
  /** Longer pauses that a cache asks for are shortened. */
  askedPauseMsMax: number
  /** Before failed objects are requested again; twice as long before the last time. */
  repeatPauseMs: number
  /** Without any answer of the cache; afterwards the run ends. */
  unreachableMs: number
  /** With nothing else than errors as answers; afterwards what is missing of the game fails. */
  failingMs: number
}

const usualPatience: Patience = {
  firstPauseMs: 1000,
  longestPauseMs: 15_000,
  askedPauseMsMax: 60_000,
  repeatPauseMs: 5000,
  unreachableMs: 600_000,
  failingMs: 180_000,
}

/** Faults without a success in between, after which requests wait. */
const faultsInRowMax = 3

/** The cache answered with nothing else than errors for too long. */
export class CacheFailing extends ContentFault {
  constructor(text: string) {
    super('lasting', text)
  }
}

/** Why requests wait. */
export interface Waiting {
  since: Date
  /** In a sentence. */
  message: string
}

/** Permission for one request. */
export interface Pass {
  /** The cache has answered. */
  succeeded(): void
  /** True: requests wait now, so that the fault is not the object's. */
  failed(fault: ContentFault): boolean
}

/** Which hosts failed lately. */
class HostOrder {
  readonly #faults = new Map<string, number>()

  #faultsOf(host: string): number {
    return this.#faults.get(host) ?? 0
  }

  /** The first of those that failed least since their last success. */
  best([first = '', ...others]: readonly string[]): string {
    return others.reduce(
      (best, host) => (this.#faultsOf(host) < this.#faultsOf(best) ? host : best),
      first,
    )
  }

  succeeded(host: string): void {
    this.#faults.delete(host)
  }

  failed(host: string): void {
    this.#faults.set(host, this.#faultsOf(host) + 1)
  }
}

interface Closing extends Waiting {
  sinceMs: number
  /** Since when the cache answers, though with errors; null: it does not. */
  failingSinceMs: number | null
  backOff: BackOff
  /** No request before. */
  untilMs: number
  /** Resolves when the request that tries the cache has ended; null: there is none. */
  trial: Promise<void> | null
  /** It has lasted too long. */
  error: CacheFailing | CacheNotFound | null
}

/** What all requests of a run know about the cache and the hosts. */
export class CacheGate {
  readonly patience: Patience
  readonly hosts = new HostOrder()
  /** Why the last object was given up, unless one came since; null: none was. */
  failing: string | null = null
  #faultsInRow = 0
  #firstFault = { since: new Date(), sinceMs: 0 }
  #closing: Closing | null = null

  constructor(patience: Partial<Patience> = {}) {
    this.patience = { ...usualPatience, ...patience }
  }

  /** Null: requests are sent, or none any more. */
  get waiting(): Waiting | null {
    return this.#closing?.error === null ? this.#closing : null
  }

  /** The next game tries anew; everything that one game requests waits only once for too long. */
  nextGame(): void {
    if (this.#closing?.error == null) return
    this.#faultsInRow = 0
    this.#closing = null
  }

  /**
   * Resolves when a request may be sent. Rejects with the signal's reason, with CacheNotFound or
   * with CacheFailing.
   */
  async enter(signal: AbortSignal): Promise<Pass> {
    signal.throwIfAborted()
    for (let current = this.#closing; current !== null; current = this.#closing) {
      if (current.error !== null) throw current.error
      const leftMs = current.untilMs - performance.now()
      if (current.trial !== null) await orAborted(current.trial, signal)
      else if (leftMs > 0) await pause(leftMs, signal)
      else {
        this.#requireHope(current)
        return this.#trialPass(current)
      }
    }
    return this.#usualPass
  }

  readonly #usualPass: Pass = {
    succeeded: () => {
      // The answer to an older request says nothing about the cache of now.
      if (this.#closing === null) this.#open()
    },
    failed: (fault) => {
      if (this.#closing !== null) return true
      if (this.#faultsInRow === 0) {
        this.#firstFault = { since: new Date(), sinceMs: performance.now() }
      }
      this.#faultsInRow++
      if (fault.askedPauseMs === null && this.#faultsInRow < faultsInRowMax) return false
      this.#close(fault)
      return true
    },
  }

  #trialPass(current: Closing): Pass {
    const { promise, resolve } = Promise.withResolvers<void>()
    current.trial = promise
    const end = (use: () => void) => {
      current.trial = null
      use()
      resolve()
    }
    const isOver = () => current.trial !== promise
    return {
      succeeded: () => (isOver() ? this.#usualPass.succeeded() : end(() => this.#open())),
      failed: (fault) => {
        if (isOver()) return this.#usualPass.failed(fault)
        end(() => this.#note(current, fault))
        return true
      },
    }
  }

  #open(): void {
    this.failing = null
    this.#faultsInRow = 0
    this.#closing = null
  }

  #close(fault: ContentFault): void {
    const { firstPauseMs, longestPauseMs } = this.patience
    this.#closing = {
      ...this.#firstFault,
      message: '',
      failingSinceMs: null,
      backOff: new BackOff(firstPauseMs, longestPauseMs),
      untilMs: 0,
      trial: null,
      error: null,
    }
    this.#note(this.#closing, fault)
  }

  /** Takes a fault into account while requests wait. */
  #note(current: Closing, { message, kind, askedPauseMs }: ContentFault): void {
    const nowMs = performance.now()
    const askedMs = Math.min(askedPauseMs ?? 0, this.patience.askedPauseMsMax)
    const isAnswering = kind !== 'unreachable'
    const what = isAnswering ? 'answered with errors only' : 'not answered'
    current.message = `The cache has ${what} since ${current.since.toISOString()}: ${message}`
    current.untilMs = nowMs + Math.max(askedMs, current.backOff.next())
    current.failingSinceMs = isAnswering ? (current.failingSinceMs ?? nowMs) : null
  }

  #requireHope(current: Closing): void {
    const { sinceMs, failingSinceMs, message } = current
    const nowMs = performance.now()
    const isFailing = nowMs - (failingSinceMs ?? Infinity) >= this.patience.failingMs
    if (!isFailing && nowMs - sinceMs < this.patience.unreachableMs) return
    current.error = failingSinceMs === null ? new CacheNotFound(message) : new CacheFailing(message)
    this.failing = message
    throw current.error
  }
}
