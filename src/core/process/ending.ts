// Loaded before everything else and without imports of its own: until a handler is registered, the
// kernel drops signals to the first process of a container, and an exception ends it unexplained.

/** How long a clean stop may take before the process ends anyway. */
const stopTimeoutMs = 20_000

type Stop = () => Promise<void>
type Report = (error: unknown, text: string) => void

const toStandardError: Report = (error, text) => {
  const reason = error instanceof Error ? (error.stack ?? error.message) : String(error)
  process.stderr.write(`${text}: ${reason}\n`)
}

/** How this process ends: on a signal, or because of an error that nothing caught. */
export class Ending {
  #started: Promise<Stop> | null = null
  #isEnding = false
  #report = toStandardError

  constructor() {
    process.on('SIGTERM', () => void this.#end(0))
    process.on('SIGINT', () => void this.#end(0))
    process.on('unhandledRejection', (error) => this.#report(error, 'unhandled rejection'))
    // What threw may have left its part half changed: the next start recovers from disk instead.
    process.on('uncaughtException', (error) => {
      this.#report(error, 'uncaught exception: the service ends')
      void this.#end(1)
    })
  }

  /** From here on errors are reported through `report`. */
  reportThrough(report: Report): void {
    this.#report = report
  }

  /** From here on ending means: wait until the start is over, then stop what it answered. */
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
