import { platformFacts, type Platform } from '../../../platforms/platforms.ts'
import type { PrefillRun } from '../../inputs.ts'
import { latin1, type ByteSpan } from '../../titles/bytes.ts'

export type { PrefillRun } from '../../inputs.ts'

/** The address that the cache sees of a run. */
export interface SeenMark {
  mark: string
  address: string
}

/** The clock of the cache may differ from ours, and lines may be written late. */
const slackSeconds = 30

/** Query of a heartbeat with a mark. */
export const markQuery = (mark: string): string => `larder-run=${mark}`
const targetCharsMax = 100

/** The runs by client address. */
export class PrefillRuns {
  /** Called for a heartbeat with the mark of a run that goes on; the same one may come again. */
  onMark: (seen: SeenMark) => void = () => {}
  #byAddress = new Map<string, PrefillRun[]>()
  #marks: ReadonlySet<string> = new Set()

  constructor(runs: readonly PrefillRun[]) {
    this.replace(runs)
  }

  replace(runs: readonly PrefillRun[]): void {
    this.#marks = new Set(runs.filter(({ endedAt }) => endedAt === null).map(({ mark }) => mark))
    this.#byAddress = new Map()
    for (const run of runs) {
      for (const address of run.addresses) {
        this.#byAddress.getOrInsertComputed(address, () => []).push(run)
      }
    }
  }

  /** Null: no run has ever had this address. */
  of(address: string): readonly PrefillRun[] | null {
    return this.#byAddress.get(address) ?? null
  }

  /** Takes the mark from the target of a heartbeat. */
  readMark(buffer: Uint8Array, { from, to }: ByteSpan, address: string): void {
    if (this.#marks.size === 0 || to - from > targetCharsMax) return
    const [, mark] = latin1(buffer, from, to).split(`?${markQuery('')}`)
    if (mark !== undefined && this.#marks.has(mark)) this.onMark({ mark, address })
  }
}

/**
 * Whether a request of that time is one of a run's. Others may have the same address, so only
 * services of the run's platform count, and hosts without a service: clients reach the cache only
 * for names that it knows.
 */
export const isOfRun = (
  runs: readonly PrefillRun[],
  { platform, service }: { platform: Platform | null; service: string },
  timeS: number,
): boolean =>
  runs.some(
    (run) =>
      timeS >= run.startedAt - slackSeconds &&
      timeS <= (run.endedAt ?? Infinity) + slackSeconds &&
      (platform === run.platform ||
        service.includes('.') ||
        platformFacts[run.platform].services.includes(service)),
  )
