/*
 * A platform has several schedules, each with a name, its times and its games. The first one is
 * the platform's entry in the configuration of the documented API, always exists and has the
 * platform's key as its id; the others are rows of `state.sqlite` and endpoints below
 * `/api/ext/prefill/schedules`. Each is a service of `core/schedules`; those that are due at one
 * time run as one operation, one after the other. The limits of runtime and silence count for each
 * of them and cancel the run at the daemon. Every attempt moves the next run; only a completed one
 * counts as the last run. All of it is one card among the schedules (`plan`).
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
import type { OwnPlan, Trigger } from '../../core/schedules/contract.ts'
import type { PrefillParts } from '../parts.ts'
import { platformFacts } from '../../platforms/platforms.ts'
import type { Run } from '../sessions/run.ts'
import type { SessionService } from '../sessions/service.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { LiveSession } from '../sessions/state.ts'
import { Batch, lastOf } from './batch.ts'
import { configOf } from './config.ts'
import type { ConfigBody, RunStatus, ServicePlan } from './model.ts'
import { outcome } from './outcomes.ts'
import { step } from './steps.ts'
import { isUnnamed, keyOf, type Schedule, type ScheduleStore } from './store.ts'

/** How often the card says that due schedules are looked for; part of the documented API. */
const cardIntervalHours = 1 / 60

const isOurs = ({ operationType }: { operationType: string }) =>
  operationType === 'scheduledPrefill'

/** Scope of the operation that runs one schedule. */
export const scopeOf = ({ id }: Pick<Schedule, 'id'>): string => `schedule:${id}`

function nameOf(schedule: Schedule): Named {
  const platform = platformFacts[schedule.platform].title
  if (isUnnamed(schedule)) return named('scheduledPrefillOf', { platform })
  return named('scheduledPrefillOne', { platform, schedule: schedule.name })
}

/** When a schedule runs by itself; 0 hours without a calendar: never. */
function timesOf({ options: { enabled, customSchedule, intervalHours } }: Schedule) {
  if (!enabled) return { intervalHours: 0, customSchedule: null }
  return { intervalHours: customSchedule === null ? intervalHours : 0, customSchedule }
}
type Times = ReturnType<typeof timesOf>

const isRecurring = ({ intervalHours, customSchedule }: Times): boolean =>
  intervalHours > 0 || customSchedule !== null

/** Prefills on a schedule: one schedule after the other, each with limits that really cancel. */
export class ScheduledPrefills {
  readonly #parts: PrefillParts
  readonly #sessions: Sessions
  readonly #store: ScheduleStore
  readonly #batch: Batch
  readonly #due: string[] = []
  #submitting: Promise<void> | null = null
  #showsNotification = true
  #isReady = false

  constructor(
    parts: PrefillParts,
    features: { sessions: Sessions; service: SessionService; store: ScheduleStore },
  ) {
    this.#parts = parts
    this.#sessions = features.sessions
    this.#store = features.store
    this.#batch = new Batch({ ...parts, ...features })
  }

  start(): void {
    this.#parts.schedules.register({
      serviceKey: 'scheduledPrefill',
      intervalHours: 0,
      runOnStartup: false,
      run: () => {},
      card: {
        notificationMode: 'all',
        operationType: 'scheduledPrefill',
        plan: { view: () => this.#card(), run: () => this.#runFirsts() },
      },
    })
    for (const schedule of this.#store.list()) this.#register(schedule)
    void this.#sessions.recovered.promise.then(() => (this.#isReady = true))
  }

  stop(): void {
    this.#batch.stop()
  }

  /**
   * A schedule that recurs from now on, or at other times of day than before, is calculated from now:
   * its first run is an interval later, and times that have passed are not made up for.
   */
  #register(schedule: Schedule, before: Times = timesOf(schedule)): void {
    const { schedules, clock, operations } = this.#parts
    const times = timesOf(schedule)
    const { customSchedule, intervalHours } = times
    const isMoved =
      customSchedule !== null && !Bun.deepEquals(customSchedule, before.customSchedule)
    const isNew = schedule.basisAt === null || !isRecurring(before) || isMoved
    const lastRunAt = isRecurring(times) && isNew ? clock.now() : schedule.basisAt
    if (lastRunAt !== schedule.basisAt) this.#store.note(schedule, { basisAt: lastRunAt })
    // What is due meanwhile is still due when the run has ended.
    const isHeld = () =>
      !this.#isReady ||
      operations.waiting().some(isOurs) ||
      operations.active('scheduledPrefill') !== null
    schedules.register({
      serviceKey: keyOf(schedule),
      intervalHours,
      runOnStartup: false,
      own: { customSchedule, lastRunAt, isHeld },
      run: () => this.#runDue(schedule.id),
    })
  }

  /** The schedules that are due at one time are one run. */
  #runDue(id: string): Promise<void> {
    this.#due.push(id)
    this.#submitting ??= Promise.resolve().then(() => {
      const due = this.#due.splice(0)
      this.#submitting = null
      const wanted = this.#store.list().filter((one) => due.includes(one.id))
      this.#submit(wanted, 'interval')
    })
    return this.#submitting
  }

  #enabled(): Schedule[] {
    return this.#store.list().filter(({ options }) => options.enabled)
  }

  #runFirsts(): Queued {
    return this.#submit(
      this.#enabled().filter(({ isFirst }) => isFirst),
      'manual',
    )
  }

  runAll(): Queued {
    return this.#submit(this.#enabled(), 'manual')
  }

  /** Runs a schedule now, or when the current runs have ended; it does not have to be enabled. */
  run(schedule: Schedule): Queued {
    return this.#submit([schedule], 'manual')
  }

  /** Goes on with the schedule whose run an earlier process started; false: it belongs to none. */
  takeUp(_session: LiveSession, { schedule }: Pick<Run, 'schedule'>): boolean {
    const own = schedule === null ? null : this.#store.find(schedule.id)
    if (own === null) return false
    const [before] = this.#parts.operations.held('scheduledPrefill')
    // It notifies as it would have done.
    this.#submit([own], before?.isSilent === false ? 'manual' : 'interval', before?.id)
    return true
  }

  /** Runs of an earlier process that nothing goes on with are the last ones of their schedules. */
  settle(): void {
    const { operations, clock, schedules } = this.#parts
    const all = this.#store.list()
    for (const { scope, context, startedAt: since, status } of operations.held(
      'scheduledPrefill',
    )) {
      const isIts = (one: Schedule) => scopeOf(one) === scope || one.id === context?.['scheduleId']
      const schedule = all.find(isIts)
      if (schedule === undefined || since === null) continue
      const { history } = this.#sessions.stores
      const games = history.ofSchedule({ scheduleId: schedule.id, since })
      const bytesDownloaded = games.reduce((sum, game) => sum + game.bytesDownloaded, 0)
      const isCancelled = status === 'cancelling'
      const last = isCancelled
        ? step('cancelled', outcome('stopped'), { bytesDownloaded })
        : step('failed', outcome('interrupted'), { bytesDownloaded })
      this.#store.note(schedule, { lastResult: lastOf(last, clock.now()) })
    }
    schedules.changed()
  }

  #submit(schedules: readonly Schedule[], trigger: Trigger, continues?: string): Queued {
    const ids = schedules.map(({ id }) => id)
    const showNotification = schedules.some(({ options: { notificationMode } }) => {
      return notificationMode === 'all' || (notificationMode === 'manual' && trigger === 'manual')
    })
    const [only = null, second] = schedules
    const single = second === undefined ? only : null
    return this.#parts.operations.submit({
      type: 'scheduledPrefill',
      scope: single === null ? 'bulk' : scopeOf(single),
      continues,
      outlives: () =>
        this.#sessions.isReleased(({ schedule }) => schedule !== null && ids.includes(schedule.id)),
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
  #card(): ReturnType<OwnPlan['view']> {
    const all = this.#store.list()
    const last = all.flatMap(({ lastRunAt }) => lastRunAt?.getTime() ?? [])
    const next = all.flatMap((schedule) => this.nextRunAt(schedule)?.getTime() ?? [])
    const isIdle = all.every(({ options }) => !options.enabled)
    return {
      intervalHours: isIdle ? 0 : next.length === 0 ? -1 : cardIntervalHours,
      isRunning: this.#parts.operations.active('scheduledPrefill') !== null,
      lastRunAt: last.length === 0 ? null : new Date(Math.max(...last)),
      nextRunAt: next.length === 0 ? null : new Date(Math.min(...next)),
    }
  }

  nextRunAt(schedule: Schedule): Date | null {
    return this.#parts.schedules.nextRunAt(keyOf(schedule))
  }

  plans(): ServicePlan[] {
    const firsts = this.#store.list().filter(({ isFirst }) => isFirst)
    return firsts.map((schedule) => ({
      serviceId: platformFacts[schedule.platform].name,
      intervalHours: schedule.options.intervalHours,
      enabled: schedule.options.enabled,
      lastRunUtc: schedule.lastRunAt?.toISOString() ?? null,
      nextRunUtc: this.nextRunAt(schedule)?.toISOString() ?? null,
      customSchedule: schedule.options.customSchedule,
    }))
  }

  config() {
    return this.#parts.settings.get('prefill.schedule')
  }

  /** Throws ScheduleError for a configuration that is not valid. */
  configure(body: ConfigBody): void {
    const config = configOf(body, this.#parts.clock.now())
    this.changing(() => this.#store.configure(config))
  }

  /** Plans the next runs of what the change enables, or moves in the calendar. */
  changing(change: () => void): void {
    const before = new Map(this.#store.list().map((one) => [one.id, timesOf(one)]))
    change()
    for (const schedule of this.#store.list()) this.#register(schedule, before.get(schedule.id))
    this.#parts.schedules.changed()
  }

  /** The schedule was deleted: its run is cancelled, and one that waits does not start. */
  noteDeleted(schedule: Schedule): void {
    const { operations, schedules } = this.#parts
    const { id } = schedule
    this.#batch.noteDeleted(id)
    for (const one of operations.list()) {
      if (one.scope === scopeOf(schedule) && one.status === 'waiting') operations.cancel(one.id)
    }
    schedules.unregister(keyOf(schedule))
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
