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

/** Ends early when the signal aborts, and rejects with its reason. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => signal?.throwIfAborted())
}
