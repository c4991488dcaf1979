import type { Clock } from '../../core/lib/clock.ts'
import type { Timers } from '../../core/lib/timers.ts'
import type { Phrase, PhraseValues } from '../../core/lib/phrases.ts'
import type { ScheduledService } from './stored.ts'
import { platformFacts, type Platform } from '../../platforms/platforms.ts'
import { reasons } from '../reasons.ts'
import type { RunRequest } from '../sessions/model.ts'
import { failureText } from '../sessions/refusals.ts'
import type { SessionService } from '../sessions/service.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { LiveSession, RunResult } from '../sessions/state.ts'
import type { Transport } from '../transports/contract.ts'
import type { RunLimits } from './config.ts'
import { outcome, type OutcomeKey } from './outcomes.ts'
import type { Schedule } from './store.ts'
import { sizeText } from '../../core/lib/size.ts'

/** How the limits and the progress of a run are checked. */
const checkMs = 1000

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
}

interface Parts {
  clock: Clock
  timers: Timers
  transports: Readonly<Record<Platform, Transport>>
  sessions: Sessions
  service: SessionService
}

export interface ServiceRun {
  schedule: Schedule
  limits: RunLimits
  signal: AbortSignal
  report: (step: Step) => void
}

const step = (
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
  ...more,
})

const requestOf = (config: ScheduledService): RunRequest => {
  const isSelection = config.selectedAppIds.length > 0
  const systems = config.operatingSystems.map((name) => name.toLowerCase())
  return {
    all: !isSelection && config.preset === 'All',
    recent: !isSelection && config.preset === 'Recent',
    recentlyPurchased: false,
    top: !isSelection && config.preset === 'Top' ? config.topCount : null,
    force: config.force,
    operatingSystems: systems.length === 0 ? null : systems,
    maxConcurrency: config.maxConcurrency.mode === 'Fixed' ? config.maxConcurrency.value : null,
  }
}

function completed(config: ScheduledService, { bytes, failedApps = 0 }: RunResult): Step {
  if (failedApps > 0) {
    const phrase = outcome('completedPartly', { size: sizeText(bytes), failed: failedApps })
    return step('completed', phrase, { bytesDownloaded: bytes, percent: 100 })
  }
  if (bytes > 0) {
    const phrase = outcome('completed', { size: sizeText(bytes) })
    return step('completed', phrase, { bytesDownloaded: bytes, percent: 100 })
  }
  const hint = config.selectedAppIds.length > 0 && !config.force
  return step('completed', outcome(hint ? 'upToDateForce' : 'upToDate'), { percent: 100 })
}

/** Progress of the run for people; null before its first game. */
function progress(session: LiveSession, config: ScheduledService): Step | null {
  const { run, currentAppName } = session
  if (run === null) return null
  const finished = run.finished.size
  const count = config.selectedAppIds.length || run.totalApps
  const { bytes = 0, totalBytes = 0 } = run.open ?? {}
  const share = totalBytes > 0 ? Math.min(bytes / totalBytes, 1) : 0
  const of = count > 0 ? ` of ${count}` : ''
  const isOpen = run.open !== null && currentAppName !== null
  const message = isOpen
    ? `Downloading ${currentAppName} (${finished + 1}${of} games)`
    : `Prefill in progress (${finished}${of} games)`
  const percent = count > 0 ? (100 * (finished + share)) / count : 1
  return step('running', message, {
    bytesDownloaded: run.finishedBytes + bytes,
    totalBytes,
    downloadSessionId: session.id,
    percent: Math.min(Math.max(percent, 1), 99),
  })
}

/** Prefills as a schedule says, with the platform's persistent session. */
export class ServiceRunner {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** The session that can prefill now, or why there is none. */
  async #ready(platform: Platform): Promise<LiveSession | Step> {
    const { transports, sessions } = this.#parts
    const { title, needsLogin } = platformFacts[platform]
    if (!(await transports[platform].isAvailable())) {
      return step('skipped', outcome('noDaemon'))
    }
    const session = sessions.persistentOf(platform)
    if (session?.status !== 'Active') {
      const missing = outcome('noSession', { platform: title })
      const start = needsLogin ? 'Start it and sign in' : 'Start it'
      const needsLoginReason = `${missing.text}. ${start} before scheduling.`
      return step(needsLogin ? 'needs-login' : 'skipped', missing, { needsLoginReason })
    }
    const isIn = await session.client.status().then(
      ({ isLoggedIn }) => isLoggedIn,
      () => false,
    )
    if (!isIn && needsLogin) {
      return step('needs-login', outcome('notSignedIn', { platform: title }), {
        needsLoginReason: `Sign in to ${title} first.`,
      })
    }
    if (!isIn) {
      const needsLoginReason = `${title} needs no sign-in; it is tried again at the next run.`
      return step('skipped', outcome('notReady', { platform: title }), { needsLoginReason })
    }
    const isOther = (one: LiveSession) => one.platform === platform && !one.isPersistent
    if (sessions.all().some((one) => isOther(one) && one.status === 'Active')) {
      return step('skipped', outcome('manualSession'))
    }
    return session.run === null ? session : step('skipped', outcome('busy'))
  }

  /** Reports the progress until the run ends, and cancels it when it exceeds a limit. */
  #watch(session: LiveSession, { schedule, limits, report }: ServiceRun) {
    const { clock, timers, sessions } = this.#parts
    const startedMs = clock.elapsedMs()
    let cancelTimer = () => {}
    let exceeded: Phrase<OutcomeKey> | null = null
    const stop = (limit: Phrase<OutcomeKey>) => {
      exceeded = limit
      void sessions.runs.cancel(session, { state: 'failed', errorMessage: limit.text })
    }
    const check = (): void => {
      cancelTimer = timers.after(checkMs, check)
      if (clock.elapsedMs() - startedMs >= limits.runtimeMs) stop(outcome('overtime'))
      else if (sessions.runs.silentSeconds(session) * 1000 >= limits.stallMs) {
        stop(outcome('stalled'))
      } else {
        const now = progress(session, schedule.options)
        if (now !== null) report(now)
      }
    }
    cancelTimer = timers.after(checkMs, check)
    /** The limit that was exceeded. */
    return (): Phrase<OutcomeKey> | null => {
      cancelTimer()
      return exceeded
    }
  }

  async #prefill(session: LiveSession, run: ServiceRun): Promise<Step> {
    const { sessions, service } = this.#parts
    const { schedule, signal } = run
    const { options, id, name } = schedule
    try {
      if (options.selectedAppIds.length > 0) await service.select(session, options.selectedAppIds)
      if (signal.aborted) return step('cancelled', outcome('stopped'))
      const { result } = sessions.runs.start(session, requestOf(options), { id, name })
      run.report(step('running', 'Prefill in progress', { downloadSessionId: session.id }))
      const unwatch = this.#watch(session, run)
      const cancel = () => void sessions.runs.cancel(session)
      signal.addEventListener('abort', cancel, { once: true })
      const ended = await result
      signal.removeEventListener('abort', cancel)
      const exceeded = unwatch()
      if (ended.state === 'completed') return completed(options, ended)
      if (ended.isBusy === true) return step('skipped', outcome('busy'))
      const more = { bytesDownloaded: ended.bytes }
      if (ended.state === 'cancelled') return step('cancelled', outcome('stopped'), more)
      return step('failed', exceeded ?? ended.errorMessage ?? reasons.prefillFailed, more)
    } catch (error) {
      return step('failed', failureText(error))
    }
  }

  async run(run: ServiceRun): Promise<Step> {
    const ready = await this.#ready(run.schedule.platform)
    if ('stage' in ready) return ready
    run.report(step('starting', 'Reusing the persistent session', { downloadSessionId: ready.id }))
    return this.#prefill(ready, run)
  }
}
