import { setTimeout as sleep } from 'node:timers/promises'

/** A wait of a loop that can be ended early. */
export class Pause {
  #end: () => void = () => {}

  /** Resolves after `ms`, or when ended. */
  wait(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, ms)
    this.#end = () => {
      clearTimeout(timer)
      resolve()
    }
    return promise
  }

  end(): void {
    this.#end()
  }
}

/** Lets the event loop do what waits for it. */
export const takeTurns = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Ends early when the signal aborts, and rejects with its reason. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => signal?.throwIfAborted())
}

/** What the work comes to; rejects with the signal's reason as soon as it aborts. */
export async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', abort)
  try {
    return await Promise.race([work, aborted.promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
