import type { OperationContext, OperationResult, Queued } from '../../core/operations/contract.ts'
import { named } from '../../core/operations/names.ts'
import type { ScheduleView, Trigger } from '../../core/schedules/contract.ts'
import type { PrefillParts } from '../parts.ts'
import { platformFacts, scheduledOrder, type Platform } from '../platforms.ts'
import type { SessionService } from '../sessions/service.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { configOf, limitsOf } from './config.ts'
import type { ConfigBody, RunStatus } from './model.ts'
import { Plan } from './plan.ts'
import { ServiceRunner, type Step } from './service-run.ts'

/** How often due services are looked for. */
const pollMs = 60_000

/** Outcomes of the services of one run. */
interface Tally {
  ran: number
  failed: number
  needsLogin: number
}

function resultOf({ ran, failed, needsLogin }: Tally, count: number): OperationResult {
  if (failed > 0) return { kind: 'failed', error: 'One or more services failed during the run' }
  if (ran > 0) return { kind: 'completed' }
  if (needsLogin > 0 && needsLogin === count)
    return { kind: 'failed', error: 'All due services need login' }
  return { kind: 'skipped', message: 'All enabled services were skipped' }
}

/** Prefills by the clock: one service after the other, each with limits that really cancel. */
export class ScheduledPrefills {
  readonly plan: Plan
  readonly #parts: PrefillParts
  readonly #sessions: Sessions
  readonly #runner: ServiceRunner
  #showsNotification = true
  #isStopping = false
  #cancelPoll: (() => void) | null = null

  constructor(
    parts: PrefillParts,
    { sessions, service }: { sessions: Sessions; service: SessionService },
  ) {
    this.#parts = parts
    this.#sessions = sessions
    this.plan = new Plan(parts)
    this.#runner = new ServiceRunner({ ...parts, sessions, service })
  }

  start(): void {
    this.plan.anchor()
    this.#parts.schedules.register({
      serviceKey: 'scheduledPrefill',
      // Checks that find nothing due are no runs.
      intervalHours: 0,
      runOnStartup: false,
      run: () => {},
      card: {
        notificationMode: 'all',
        operationType: 'scheduledPrefill',
        plan: { view: () => this.#card(), run: () => this.#submit(this.plan.enabled(), 'manual') },
      },
    })
    void this.#sessions.recovered.promise.then(() => this.#poll())
  }

  /** A run that ends from now on was not stopped by anyone; it counts as not attempted. */
  stop(): void {
    this.#isStopping = true
    this.#cancelPoll?.()
  }

  #poll(): void {
    if (this.#isStopping) return
    this.#cancelPoll = this.#parts.timers.after(pollMs, () => this.#poll())
    const { operations, settings, log } = this.#parts
    const isSetUp = settings.get('setup.isCompleted')
    if (!isSetUp || operations.active('scheduledPrefill') !== null) return
    try {
      const due = this.plan.due()
      if (due.length > 0) this.#submit(due, 'interval')
    } catch (error) {
      log.warn({ err: error }, 'scheduled prefill not started')
    }
  }

  #shows(platforms: readonly Platform[], trigger: Trigger): boolean {
    const config = this.#parts.settings.get('prefill.schedule')
    return platforms.some((platform) => {
      const { notificationMode } = config[platform]
      return notificationMode === 'all' || (notificationMode === 'manual' && trigger === 'manual')
    })
  }

  #submit(platforms: readonly Platform[], trigger: Trigger): Queued {
    const showNotification = this.#shows(platforms, trigger)
    const queued = this.#parts.operations.submit({
      type: 'scheduledPrefill',
      scope: 'bulk',
      ...named('scheduledPrefill'),
      isSilent: !showNotification,
      events: {
        prefix: 'ScheduledPrefill',
        complete: 'ScheduledPrefillCompleted',
        showNotification,
        startedFields: { serviceCount: platforms.length },
      },
      run: (context) => this.#run(platforms, { ...context, showNotification }),
    })
    if (!queued.alreadyRunning) this.#showsNotification = showNotification
    return queued
  }

  async #run(
    platforms: readonly Platform[],
    context: OperationContext & { showNotification: boolean },
  ): Promise<OperationResult> {
    const tally: Tally = { ran: 0, failed: 0, needsLogin: 0 }
    for (const [index, platform] of platforms.entries()) {
      const last = await this.#runService(platform, context, { index, count: platforms.length })
      if (this.#isStopping) return { kind: 'cancelled' }
      if (context.signal.aborted || last.stage === 'cancelled') {
        for (const one of platforms.slice(index)) this.plan.noteAttempt(one)
        this.#parts.schedules.changed()
        return { kind: 'cancelled' }
      }
      this.plan.noteAttempt(platform)
      if (last.stage === 'completed') this.plan.noteRun(platform)
      tally.ran += last.stage === 'completed' ? 1 : 0
      tally.failed += last.stage === 'failed' ? 1 : 0
      tally.needsLogin += last.stage === 'needs-login' ? 1 : 0
    }
    this.#parts.schedules.changed()
    return resultOf(tally, platforms.length)
  }

  async #runService(
    platform: Platform,
    context: OperationContext & { showNotification: boolean },
    { index, count }: { index: number; count: number },
  ): Promise<Step> {
    const config = this.#parts.settings.get('prefill.schedule')
    const { name } = platformFacts[platform]
    const { showNotification } = context
    const report = ({ percent, ...step }: Step) =>
      context.report({
        percentComplete: (100 * (index + percent / 100)) / count,
        message: step.message,
        fields: { serviceId: name, ...step, showNotification },
      })
    const { signal } = context
    const limits = limitsOf(config)
    const last = await this.#runner.run({
      platform,
      config: config[platform],
      limits,
      signal,
      report,
    })
    this.#parts.log.info({ platform, stage: last.stage, reason: last.message }, 'scheduled prefill')
    report(last)
    return last
  }

  /** How the schedule is shown among the others. */
  #card(): Pick<ScheduleView, 'intervalHours' | 'lastRunAt' | 'nextRunAt'> {
    const plans = this.plan.view()
    const datesOf = (key: 'lastRunUtc' | 'nextRunUtc') =>
      plans.flatMap((plan) => (plan[key] === null ? [] : [Date.parse(plan[key])]))
    const [last, next] = [datesOf('lastRunUtc'), datesOf('nextRunUtc')]
    const isIdle = plans.every(({ enabled }) => !enabled)
    return {
      intervalHours: isIdle ? 0 : next.length === 0 ? -1 : pollMs / 3_600_000,
      lastRunAt: last.length === 0 ? null : new Date(Math.max(...last)),
      nextRunAt: next.length === 0 ? null : new Date(Math.min(...next)),
    }
  }

  config() {
    return this.#parts.settings.get('prefill.schedule')
  }

  /** Throws ScheduleError for a configuration that is not valid. */
  configure(body: ConfigBody): void {
    const { settings, clock, schedules } = this.#parts
    const before = settings.get('prefill.schedule')
    const wasEnabled = new Set(scheduledOrder.filter((platform) => before[platform].enabled))
    settings.set('prefill.schedule', configOf(body, clock.now()))
    this.plan.anchor((platform) => wasEnabled.has(platform))
    schedules.changed()
  }

  status(): RunStatus {
    const operation = this.#parts.operations.active('scheduledPrefill')
    return {
      isRunning: operation !== null,
      operationId: operation?.id ?? null,
      showNotification: operation === null || this.#showsNotification,
    }
  }
}
