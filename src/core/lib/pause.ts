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
