import pLimit from 'p-limit'
import type { DownloadsParts } from '../parts.ts'
import type { LineCountsOfSource } from '../../engines/log-scan/count-contract.ts'
import { unavailable } from '../../core/http/errors.ts'
import { systemTimers, type Timers } from '../../core/lib/timers.ts'

/** A connection stays open for at most 255 s; what was counted by then is kept. */
export const countWaitMs = 240_000
const retryAfterSeconds = 5

interface Run {
  /** Null when aborted because no caller was left. */
  counts: Promise<LineCountsOfSource[] | null>
  waiting: number
  stop: AbortController
}

type CountLines = (signal: AbortSignal) => Promise<LineCountsOfSource[] | null>

/**
 * One count at a time. Callers during a running count share the next one, because the running one
 * may miss recent changes; it reads only new data. A count is aborted when no caller is left; one
 * over the time limit continues.
 */
export class SharedCount {
  readonly #count: CountLines
  readonly #timers: Timers
  readonly #inTurn = pLimit(1)
  /** Not started yet. */
  #next: Run | null = null

  constructor(count: CountLines, timers: Timers) {
    this.#count = count
    this.#timers = timers
  }

  /** Throws 503 when it takes longer than `countWaitMs`. `signal`: the caller disconnected. */
  async ask(signal: AbortSignal): Promise<LineCountsOfSource[]> {
    const run = (this.#next ??= this.#plan())
    run.waiting++
    const late = Promise.withResolvers<null>()
    const leave = () => {
      run.waiting--
      if (run.waiting > 0) return
      run.stop.abort()
      if (this.#next === run) this.#next = null
    }
    const stopDeadline = this.#timers.after(countWaitMs, () => {
      signal.removeEventListener('abort', leave)
      late.resolve(null)
    })
    signal.addEventListener('abort', leave, { once: true })
    try {
      const counts = await Promise.race([run.counts, late.promise])
      if (counts !== null) return counts
      throw unavailable('The log files are still being counted', retryAfterSeconds)
    } finally {
      stopDeadline()
      signal.removeEventListener('abort', leave)
    }
  }

  #plan(): Run {
    const stop = new AbortController()
    const counts = this.#inTurn(() => {
      if (this.#next === run) this.#next = null
      return this.#count(stop.signal)
    })
    const run: Run = { counts, waiting: 0, stop }
    return run
  }
}

/** Lines by service currently in the log files. */
export function createCounts({
  config,
  logScan,
  datasources,
}: Pick<DownloadsParts, 'config' | 'logScan' | 'datasources'>) {
  const { timeZone } = config
  // Nodes come and go.
  const sources = () => config.datasources.map(({ name, logPath }) => ({ name, logPath }))
  const shared = new SharedCount(
    (signal) => logScan.countLines({ sources: sources(), timeZone }, signal),
    systemTimers,
  )

  return {
    async byService(signal: AbortSignal) {
      const sums = new Map<string, number>()
      for (const { services } of await shared.ask(signal)) {
        for (const [service, lines] of Object.entries(services)) {
          sums.set(service, (sums.get(service) ?? 0) + lines)
        }
      }
      return Object.fromEntries(sums)
    },

    async byDatasource(signal: AbortSignal) {
      const counts = new Map(
        (await shared.ask(signal)).map(({ datasource, ...rest }) => [datasource, rest]),
      )
      return Promise.all(
        sources().map(async ({ name, logPath }) => {
          const { services, ...rest } = counts.get(name) ?? nothing
          return {
            datasource: name,
            logsPath: logPath,
            logsWritable: (await datasources.facts(name)).canWriteLogs,
            enabled: true,
            serviceCounts: services,
            ...rest,
          }
        }),
      )
    },
  }
}

const nothing = { services: {}, otherLines: 0, unreadableLines: 0, leftOut: [] }
