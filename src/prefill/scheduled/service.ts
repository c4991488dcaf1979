/*
 * A platform has several schedules, each with a name, its times and its games. The first one is
 * the platform's entry in the configuration of the documented API, always exists and has the
 * platform's key as its id; the others are rows of `state.sqlite` and endpoints below
 * `/api/ext/prefill/schedules`. `prefill/scheduled` checks once a minute what is due and runs one
 * schedule after the other. The limits of runtime and silence count for each of them and cancel
 * the run at the daemon. Every attempt moves the next run; only a completed one counts as the last
 * run. All of it is one card among the schedules (`core/schedules`, `plan`).
 *
 * A schedule waits for other schedules and skips people. What falls due during a run is still due
 * afterwards, and a run that is started by hand is queued: a skip would move its time, and two
 * schedules that meet regularly would mean that one of them never runs. A session that a person
 * prefills with is not waited for; it may last hours.
 *
 * A deleted schedule takes its run with it. The run is cancelled at the daemon, a queued one does
 * not start, and the others of the batch go on. Games stay in the cache, and the history keeps the
 * schedule's name, which it notes for every game.
 */
import type { Named, Queued } from '../../core/operations/contract.ts'
import { named } from '../../core/operations/names.ts'
import type { ScheduleView, Trigger } from '../../core/schedules/contract.ts'
import type { PrefillParts } from '../parts.ts'
import { platformFacts } from '../../platforms/platforms.ts'
import type { SessionService } from '../sessions/service.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { Batch } from './batch.ts'
import { configOf } from './config.ts'
import type { ConfigBody, RunStatus } from './model.ts'
import { Plan } from './plan.ts'
import { isUnnamed, type Schedule, type ScheduleStore } from './store.ts'

/** How often due schedules are looked for. */
const pollMs = 60_000

const isOurs = ({ operationType }: { operationType: string }) =>
  operationType === 'scheduledPrefill'

/** Scope of the operation that runs one schedule. */
export const scopeOf = ({ id }: Pick<Schedule, 'id'>): string => `schedule:${id}`

function nameOf(schedule: Schedule): Named {
  const platform = platformFacts[schedule.platform].title
  if (isUnnamed(schedule)) return named('scheduledPrefillOf', { platform })
  return named('scheduledPrefillOne', { platform, schedule: schedule.name })
}

/** Prefills on a schedule: one schedule after the other, each with limits that really cancel. */
export class ScheduledPrefills {
  readonly plan: Plan
  readonly #parts: PrefillParts
  readonly #sessions: Sessions
  readonly #store: ScheduleStore
  readonly #batch: Batch
  #showsNotification = true
  #isStopping = false
  #cancelPoll: (() => void) | null = null

  constructor(
    parts: PrefillParts,
    features: { sessions: Sessions; service: SessionService; store: ScheduleStore },
  ) {
    this.#parts = parts
    this.#sessions = features.sessions
    this.#store = features.store
    this.plan = new Plan({ ...parts, ...features })
    this.#batch = new Batch({ ...parts, ...features, plan: this.plan })
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
        plan: { view: () => this.#card(), run: () => this.#runFirsts() },
      },
    })
    void this.#sessions.recovered.promise.then(() => this.#poll())
  }

  stop(): void {
    this.#isStopping = true
    this.#batch.stop()
    this.#cancelPoll?.()
  }

  #poll(): void {
    if (this.#isStopping) return
    this.#cancelPoll = this.#parts.timers.after(pollMs, () => this.#poll())
    const { operations, settings, log } = this.#parts
    const isSetUp = settings.get('setup.isCompleted')
    const isPending = operations.waiting().some(isOurs)
    // What is due meanwhile is still due when the run has ended.
    if (!isSetUp || isPending || operations.active('scheduledPrefill') !== null) return
    try {
      this.plan.anchor()
      const due = this.plan.due()
      if (due.length > 0) this.#submit(due, 'interval')
    } catch (error) {
      log.warn({ err: error }, 'scheduled prefill not started')
    }
  }

  #runFirsts(): Queued {
    return this.#submit(
      this.plan.enabled().filter(({ isFirst }) => isFirst),
      'manual',
    )
  }

  /** Runs every enabled schedule of all platforms now. */
  runAll(): Queued {
    return this.#submit(this.plan.enabled(), 'manual')
  }

  /** Runs a schedule now, or when the current runs have ended; it does not have to be enabled. */
  run(schedule: Schedule): Queued {
    return this.#submit([schedule], 'manual')
  }

  #submit(schedules: readonly Schedule[], trigger: Trigger): Queued {
    const ids = schedules.map(({ id }) => id)
    const showNotification = schedules.some(({ options: { notificationMode } }) => {
      return notificationMode === 'all' || (notificationMode === 'manual' && trigger === 'manual')
    })
    const [only = null, second] = schedules
    const single = second === undefined ? only : null
    return this.#parts.operations.submit({
      type: 'scheduledPrefill',
      scope: single === null ? 'bulk' : scopeOf(single),
      ...(single === null ? named('scheduledPrefill') : nameOf(single)),
      isSilent: !showNotification,
      events: {
        prefix: 'ScheduledPrefill',
        complete: 'ScheduledPrefillCompleted',
        showNotification,
        startedFields: {
          serviceCount: schedules.length,
          ...(single !== null && { scheduleId: single.id, scheduleName: single.name }),
        },
      },
      run: (context) => {
        this.#showsNotification = showNotification
        return this.#batch.run(ids, { ...context, showNotification })
      },
    })
  }

  /** How the schedules of all platforms are shown among those of the service. */
  #card(): Pick<ScheduleView, 'intervalHours' | 'lastRunAt' | 'nextRunAt'> {
    const all = this.#store.list()
    const last = all.flatMap(({ lastRunAt }) => lastRunAt?.getTime() ?? [])
    const next = all.flatMap((schedule) => this.plan.nextRunAt(schedule)?.getTime() ?? [])
    const isIdle = all.every(({ options }) => !options.enabled)
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
    const { settings, clock } = this.#parts
    this.changing(() => settings.set('prefill.schedule', configOf(body, clock.now())))
  }

  /** Reckons the first run of the schedules that the change enables, or moves in the calendar. */
  changing(change: () => void): void {
    const before = new Map(this.plan.enabled().map(({ id, options }) => [id, options]))
    change()
    this.plan.anchor(({ id, options: { customSchedule } }) => {
      const known = before.get(id)
      if (known === undefined) return false
      return customSchedule === null || Bun.deepEquals(customSchedule, known.customSchedule)
    })
    this.#parts.schedules.changed()
  }

  /** The schedule was deleted: its run is cancelled, and one that waits does not start. */
  noteDeleted({ id }: Schedule): void {
    const { operations, schedules } = this.#parts
    this.#batch.noteDeleted(id)
    for (const one of operations.list()) {
      if (one.scope === scopeOf({ id }) && one.status === 'waiting') operations.cancel(one.id)
    }
    this.plan.forget(id)
    schedules.changed()
  }

  /** The operation that runs a schedule now. */
  operationOf({ id }: Schedule): string | null {
    if (this.#batch.current?.id !== id) return null
    return this.#parts.operations.active('scheduledPrefill')?.id ?? null
  }

  status(): RunStatus {
    const operation = this.#parts.operations.active('scheduledPrefill')
    const { current } = this.#batch
    return {
      isRunning: operation !== null,
      operationId: operation?.id ?? null,
      showNotification: operation === null || this.#showsNotification,
      current:
        current === null
          ? null
          : {
              scheduleId: current.id,
              scheduleName: current.name,
              serviceId: platformFacts[current.platform].name,
            },
    }
  }
}
