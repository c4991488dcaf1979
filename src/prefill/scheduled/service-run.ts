import type { Clock } from '../../core/lib/clock.ts'
import type { Timers } from '../../core/lib/timers.ts'
import type { ScheduledService } from '../../core/settings/scheduled-prefill.ts'
import { platformFacts, type Platform } from '../platforms.ts'
import type { RunRequest } from '../sessions/daemon-client.ts'
import { failureText } from '../sessions/refusals.ts'
import type { SessionService } from '../sessions/service.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { LiveSession, RunResult } from '../sessions/state.ts'
import type { Transport } from '../transports/contract.ts'
import type { RunLimits } from './config.ts'

/** How the limits and the progress of a run are checked. */
const checkMs = 1000

export type Stage =
  'skipped' | 'needs-login' | 'starting' | 'running' | 'completed' | 'failed' | 'cancelled'

/** What a service's run has come to; the last one is its outcome. */
export interface Step {
  stage: Stage
  message: string
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
  platform: Platform
  config: ScheduledService
  limits: RunLimits
  signal: AbortSignal
  report: (step: Step) => void
}

const step = (stage: Stage, message: string, more: Partial<Step> = {}): Step => ({
  stage,
  message,
  needsLoginReason: null,
  bytesDownloaded: 0,
  totalBytes: 0,
  downloadSessionId: null,
  percent: 0,
  ...more,
})

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']

function sizeText(bytes: number): string {
  const power = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), units.length - 1)
  return `${(bytes / 1024 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power] ?? 'B'}`
}

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

function completed(config: ScheduledService, { bytes }: RunResult): Step {
  if (bytes > 0) {
    return step('completed', `Prefill completed (${sizeText(bytes)} downloaded)`, {
      bytesDownloaded: bytes,
      percent: 100,
    })
  }
  const hint = config.selectedAppIds.length > 0 && !config.force
  const text = 'Prefill completed; everything was up to date'
  const message = hint ? `${text}. Use force to download the selected games again` : text
  return step('completed', message, { percent: 100 })
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

/** Prefills one platform as its schedule says, with the platform's persistent session. */
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
      return step('skipped', 'No daemon registered for this service')
    }
    const session = sessions.persistentOf(platform)
    if (session?.status !== 'Active') {
      const message = `No running persistent session for ${title}`
      const start = needsLogin ? 'Start it and sign in' : 'Start it'
      const needsLoginReason = `${message}. ${start} before scheduling.`
      return step(needsLogin ? 'needs-login' : 'skipped', message, { needsLoginReason })
    }
    const isIn = await session.client.status().then(
      ({ isLoggedIn }) => isLoggedIn,
      () => false,
    )
    if (!isIn && needsLogin) {
      const message = `The persistent session for ${title} runs but is not signed in`
      return step('needs-login', message, { needsLoginReason: `Sign in to ${title} first.` })
    }
    if (!isIn) {
      const needsLoginReason = `${title} needs no sign-in; it is tried again at the next run.`
      return step('skipped', `The persistent session for ${title} is not ready yet`, {
        needsLoginReason,
      })
    }
    const isOther = (one: LiveSession) => one.platform === platform && !one.isPersistent
    if (sessions.all().some((one) => isOther(one) && one.status === 'Active')) {
      return step('skipped', 'A manual prefill session is active')
    }
    return session.run === null ? session : step('skipped', 'A prefill is already in progress')
  }

  /** Checks the limits and reports the progress until the run ends. */
  #watch(session: LiveSession, { config, limits, report }: ServiceRun): () => void {
    const { clock, timers, sessions } = this.#parts
    const startedMs = clock.elapsedMs()
    let cancelTimer = () => {}
    const stop = (errorMessage: string) =>
      void sessions.runs.cancel(session, { state: 'failed', errorMessage })
    const check = (): void => {
      cancelTimer = timers.after(checkMs, check)
      if (clock.elapsedMs() - startedMs >= limits.runtimeMs) {
        stop('Exceeded maximum service runtime')
      } else if (sessions.runs.silentSeconds(session) * 1000 >= limits.stallMs) {
        stop('Prefill stalled (no progress)')
      } else {
        const now = progress(session, config)
        if (now !== null) report(now)
      }
    }
    cancelTimer = timers.after(checkMs, check)
    return () => cancelTimer()
  }

  async #prefill(session: LiveSession, run: ServiceRun): Promise<Step> {
    const { sessions, service } = this.#parts
    const { config, signal } = run
    try {
      if (config.selectedAppIds.length > 0) await service.select(session, config.selectedAppIds)
      const { result } = sessions.runs.start(session, requestOf(config))
      run.report(step('running', 'Prefill in progress', { downloadSessionId: session.id }))
      const unwatch = this.#watch(session, run)
      const cancel = () => void sessions.runs.cancel(session)
      signal.addEventListener('abort', cancel, { once: true })
      const ended = await result
      signal.removeEventListener('abort', cancel)
      unwatch()
      if (ended.state === 'completed') return completed(config, ended)
      if (ended.state === 'cancelled') return step('cancelled', 'Prefill stopped')
      return step('failed', ended.errorMessage ?? 'Prefill failed')
    } catch (error) {
      return step('failed', failureText(error))
    }
  }

  async run(run: ServiceRun): Promise<Step> {
    const ready = await this.#ready(run.platform)
    if ('stage' in ready) return ready
    run.report(step('starting', 'Reusing the persistent session', { downloadSessionId: ready.id }))
    return this.#prefill(ready, run)
  }
}
