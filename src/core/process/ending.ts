// Loaded before everything else and without imports of its own: until a handler is registered, the
// kernel drops signals to a container's first process, and an exception ends it without an
// explanation.

/** How long a clean stop may take before the process exits anyway. */
const stopTimeoutMs = 20_000

type Stop = () => Promise<void>
type Report = (error: unknown, text: string) => void

const toStandardError: Report = (error, text) => {
  const reason = error instanceof Error ? (error.stack ?? error.message) : String(error)
  process.stderr.write(`${text}: ${reason}\n`)
}

/** Ends this process on a signal or an uncaught error. */
export class Ending {
  #started: Promise<Stop> | null = null
  #isEnding = false
  #report = toStandardError

  constructor() {
    process.on('SIGTERM', () => void this.#end(0))
    process.on('SIGINT', () => void this.#end(0))
    process.on('unhandledRejection', (error) => this.#report(error, 'unhandled rejection'))
    // The failed part may be in an inconsistent state: the next start recovers from disk instead.
    process.on('uncaughtException', (error) => {
      this.#report(error, 'uncaught exception: the service ends')
      void this.#end(1)
    })
  }

  /** From here on errors are reported through `report`. */
  reportThrough(report: Report): void {
    this.#report = report
  }

  /**
   * From here on, ending waits for the start to finish, then calls the stop function it returned.
   */
  stopsAfter(started: Promise<Stop>): void {
    this.#started = started
  }

  async #end(code: number): Promise<void> {
    if (this.#isEnding) return
    this.#isEnding = true
    setTimeout(() => process.exit(1), stopTimeoutMs).unref()
    try {
      const stop = await this.#started
      await stop?.()
    } catch (error) {
      this.#report(error, 'stopping failed')
      process.exit(1)
    }
    process.exit(code)
  }
}
