import type { Phrase, PhraseValues } from '../../core/lib/phrases.ts'
import { sizeText } from '../../core/lib/size.ts'
import { reasons } from '../reasons.ts'
import type { RunResult } from '../sessions/run.ts'
import type { LiveSession } from '../sessions/state.ts'
import { outcome, type OutcomeKey } from './outcomes.ts'
import type { ScheduledService } from './stored.ts'

export type Stage =
  'skipped' | 'needs-login' | 'starting' | 'running' | 'completed' | 'failed' | 'cancelled'

/** The state that a service's run has reached; the last one is its outcome. */
export interface Step {
  stage: Stage
  message: string
  /** Of the message of an outcome; null for a text of the daemon, and on the way. */
  messageKey: OutcomeKey | null
  messageValues: PhraseValues
  needsLoginReason: string | null
  bytesDownloaded: number
  totalBytes: number
  downloadSessionId: string | null
  /** Of this service, 0 to 100. */
  percent: number
  /** Of the outcome of a run, which may have ended while the service was away. */
  endedAt: Date | null
}

export const step = (
  stage: Stage,
  message: string | Phrase<OutcomeKey>,
  more: Partial<Step> = {},
): Step => ({
  stage,
  ...(typeof message === 'string'
    ? { message, messageKey: null, messageValues: {} }
    : { message: message.text, messageKey: message.key, messageValues: message.values }),
  needsLoginReason: null,
  bytesDownloaded: 0,
  totalBytes: 0,
  downloadSessionId: null,
  percent: 0,
  endedAt: null,
  ...more,
})

/** What a run of one account came to. */
export interface Part extends RunResult {
  exceeded: Phrase<OutcomeKey> | null
}

/** What a schedule's accounts have done before the one whose turn it is. */
export interface Before {
  /** Runs that are over, of how many. */
  parts: number
  count: number
  /** Chosen games of these runs. */
  games: number
  bytes: number
}

type Chosen = Pick<ScheduledService, 'selectedAppIds' | 'force'>
type Running = Pick<LiveSession, 'id' | 'run' | 'currentAppName'>

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)

const endOf = (parts: readonly Part[]) => ({
  bytesDownloaded: sum(parts.map(({ bytes }) => bytes)),
  endedAt: parts.at(-1)?.endedAt ?? null,
})

function completed(config: Chosen, parts: readonly Part[], missing: number): Step {
  const bytes = sum(parts.map((part) => part.bytes))
  const failed = sum(parts.map(({ failedApps = 0 }) => failedApps))
  const phrase = (): Phrase<OutcomeKey> => {
    const size = sizeText(bytes)
    if (missing > 0) return outcome('completedSome', { size, failed, accounts: missing })
    if (failed > 0) return outcome('completedPartly', { size, failed })
    if (bytes > 0) return outcome('completed', { size })
    const hint = config.selectedAppIds.length > 0 && !config.force
    return outcome(hint ? 'upToDateForce' : 'upToDate')
  }
  return step('completed', phrase(), { ...endOf(parts), percent: 100 })
}

/** The outcome of a schedule from those of its accounts, `missing` of which could not take part. */
export function ended(config: Chosen, parts: readonly Part[], missing: number): Step {
  const more = endOf(parts)
  if (parts.some(({ state }) => state === 'cancelled')) {
    return step('cancelled', outcome('stopped'), more)
  }
  // Where another account prefilled something, games that failed are counted.
  const hasWorked = parts.some(({ state }) => state === 'completed')
  const broken = parts.filter(
    ({ state, isBusy, failedApps = 0 }) =>
      state === 'failed' && isBusy !== true && !(hasWorked && failedApps > 0),
  )
  const [first] = broken
  if (first !== undefined) {
    return step('failed', first.exceeded ?? first.errorMessage ?? reasons.prefillFailed, more)
  }
  const busy = parts.filter(({ isBusy }) => isBusy === true).length
  if (busy === parts.length) return step('skipped', outcome('busy'))
  return completed(config, parts, missing + busy)
}

/** Progress of the run for people; null before its first game. */
export function progress(session: Running, config: Chosen, before: Before): Step | null {
  const { run, currentAppName } = session
  if (run === null) return null
  const selected = config.selectedAppIds.length
  const finished = before.games + run.finished.size
  const count = selected || before.games + run.totalApps
  const { bytes = 0, totalBytes = 0 } = run.open ?? {}
  const share = totalBytes > 0 ? Math.min(bytes / totalBytes, 1) : 0
  const of = count > 0 ? ` of ${count}` : ''
  const isOpen = run.open !== null && currentAppName !== null
  const message = isOpen
    ? `Downloading ${currentAppName} (${finished + 1}${of} games)`
    : `Prefill in progress (${finished}${of} games)`
  // How many games the next accounts have is not known yet.
  const own = run.totalApps > 0 ? (run.finished.size + share) / run.totalApps : 0
  const done = selected > 0 ? (finished + share) / selected : (before.parts + own) / before.count
  return step('running', message, {
    bytesDownloaded: before.bytes + run.finishedBytes + bytes,
    totalBytes,
    downloadSessionId: session.id,
    percent: Math.min(Math.max(100 * done, 1), 99),
  })
}
