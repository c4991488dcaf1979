/*
 * Scheduled jobs: `schedules.register({ serviceKey, intervalHours, runOnStartup, run })`. Last
 * runs are stored, intervals are measured in elapsed time, and a failed run is tried again after a
 * minute. Before the set-up is completed only services with `runsBeforeSetup` run. A service with
 * a `card` is listed by the API and can be changed there; changes are in the settings, by service.
 *
 * A calendar schedule goes by the time of day. It replaces the interval with a cron expression in
 * a time zone and, if wanted, a window in which runs may start. A time that the change to daylight
 * saving time skips runs when the hour is over; one that occurs twice runs once. A run that was
 * missed, because the process was off or the clock jumped over it by more than 15 minutes, is not
 * made up for: the operator chose that time of day. A missed interval is due at once. Services with
 * `own` times make up for both.
 */
import type { StateDatabase } from '../../../db/state/open.ts'
import { schedule } from '../../../db/state/schema/schedules.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/log.ts'
import { systemTimers, type Timers } from '../lib/timers.ts'
import type { Operations, Queued } from '../operations/contract.ts'
import type { Settings } from '../settings/settings.ts'
import type { ScheduledService, Schedules, ScheduleView, Trigger } from './contract.ts'
import type { ScheduleSettings } from '../settings/schedule-settings.ts'
import { createPlanner, type Plan } from './plan.ts'
import { createTrustedClock } from './trusted-clock.ts'
import { errorText } from '../lib/error-text.ts'
import { isWritten } from '../lib/storage-faults.ts'

/** How often due runs are checked. */
const checkMs = 5_000

interface Entry extends Plan {
  lastRunAt: Date | null
  isRunning: boolean
  /** Started by hand during a run: runs once more afterwards. */
  isWantedAgain: boolean
}

interface Parts {
  state: StateDatabase
  settings: Settings
  operations: Pick<Operations, 'active'>
  clock: Clock
  log: Logger
  timers?: Timers
}

/** The defaults of a service; internal ones show no notifications. */
const defaultsOf = ({
  intervalHours,
  runOnStartup,
  card,
  own,
}: ScheduledService): ScheduleSettings => ({
  intervalHours: typeof intervalHours === 'number' ? intervalHours : intervalHours(),
  runOnStartup,
  notificationMode: card?.notificationMode ?? 'silent',
  displayMode: card?.plan === undefined ? 'condensed' : 'full',
  customSchedule: own?.customSchedule ?? null,
})

const isListed = ({ service: { card } }: Entry): boolean =>
  card !== undefined && (card.isListed?.() ?? true)

type Stored = Pick<ScheduledService, 'serviceKey' | 'own'>

function createLastRuns({ state, clock }: Pick<Parts, 'state' | 'clock'>) {
  return {
    of({ serviceKey, own }: Stored): Date | null {
      if (own !== undefined) return own.lastRunAt
      const rows = state.db.select().from(schedule).all()
      return rows.find((row) => row.serviceKey === serviceKey)?.lastRunAt ?? null
    },
    note({ serviceKey, own }: Stored, lastRunAt = clock.now()): Date {
      if (own !== undefined) return lastRunAt
      const write = state.db
        .insert(schedule)
        .values({ serviceKey, lastRunAt })
        .onConflictDoUpdate({ target: schedule.serviceKey, set: { lastRunAt } })
      // On a full disk, what notifies about it runs all the same.
      isWritten(() => write.run())
      return lastRunAt
    },
  }
}

/** Starts runs and notes how they end. */
function createRunner(parts: Parts, options: { changed: () => void }) {
  const { operations, settings, log } = parts
  const lastRuns = createLastRuns(parts)
  const planner = createPlanner(parts.clock)
  const { changed } = options

  const settingsOf = ({ service }: Entry): ScheduleSettings => ({
    ...defaultsOf(service),
    ...(service.card && settings.get('schedules.changes')[service.serviceKey]),
  })

  const operationOf = ({ service: { card } }: Entry) => {
    const type = card?.operationType ?? null
    return type === null ? null : operations.active(type, card?.operationScope ?? 'bulk')
  }

  function failed(entry: Entry, error: unknown): void {
    const reason = errorText(error)
    log.warn({ service: entry.service.serviceKey, reason }, 'a scheduled run failed')
    planner.failed(entry)
  }

  function finish(entry: Entry): void {
    entry.isRunning = false
    changed()
  }

  /** Returns the operation if the run is one. */
  function begin(entry: Entry, trigger: Trigger): Queued | null {
    const { service } = entry
    const own = settingsOf(entry)
    const mode = own.notificationMode
    const isSilent = mode === 'silent' || (mode === 'manual' && trigger !== 'manual')
    entry.isRunning = true
    entry.isStartupDue = false
    if (trigger === 'manual') entry.isWantedAgain = false
    try {
      entry.lastRunAt = lastRuns.note(service)
      planner.plan(entry, own, entry.lastRunAt)
      const started = service.run(trigger, { isSilent })
      if (started instanceof Promise) {
        started.catch((error: unknown) => failed(entry, error)).finally(() => finish(entry))
        changed()
        return null
      }
      finish(entry)
      return started ?? null
    } catch (error) {
      failed(entry, error)
      finish(entry)
      return null
    }
  }

  return {
    planner,
    lastRuns,
    settingsOf,
    operationOf,
    begin,
    replan: (entry: Entry) => planner.plan(entry, settingsOf(entry), entry.lastRunAt),
    isRunning: (entry: Entry) => entry.isRunning || operationOf(entry) !== null,
  }
}

/** What operators read and do. */
function createControls(parts: {
  entries: readonly Entry[]
  runner: ReturnType<typeof createRunner>
  settings: Settings
  changed: () => void
}): Pick<Schedules, 'list' | 'change' | 'reset' | 'run'> {
  const { entries, runner, settings, changed } = parts
  const { planner, settingsOf, operationOf, begin, isRunning } = runner

  const viewOf = (entry: Entry): ScheduleView => ({
    ...settingsOf(entry),
    serviceKey: entry.service.serviceKey,
    operationType: entry.service.card?.operationType ?? null,
    defaults: {
      ...defaultsOf(entry.service),
      ...(entry.service.card?.interval && { intervalHours: entry.service.card.interval.usual }),
    },
    isRunning: isRunning(entry),
    lastRunAt: entry.lastRunAt,
    nextRunAt: planner.nextRunAt(entry, settingsOf(entry)),
    hasOwnPlan: entry.service.card?.plan !== undefined,
    hindrance: entry.service.card?.hindrance?.() ?? null,
    ...entry.service.card?.plan?.view(),
  })

  const listed = (serviceKey: string): Entry | null =>
    entries.find((entry) => isListed(entry) && entry.service.serviceKey === serviceKey) ?? null

  return {
    list: () => entries.filter(isListed).map(viewOf),
    change(serviceKey, change) {
      const entry = listed(serviceKey)
      if (entry === null) return null
      const { interval } = entry.service.card ?? {}
      const { intervalHours, ...others } = change
      const isOwn = interval !== undefined && intervalHours !== undefined
      if (isOwn) interval.set(intervalHours)
      const all = settings.get('schedules.changes')
      settings.set('schedules.changes', {
        ...all,
        [serviceKey]: { ...all[serviceKey], ...(isOwn ? others : change) },
      })
      runner.replan(entry)
      changed()
      return viewOf(entry)
    },
    reset() {
      settings.clear('schedules.changes')
      for (const entry of entries) {
        entry.service.card?.interval?.reset()
        if (entry.service.card !== undefined) runner.replan(entry)
      }
      changed()
    },
    run(serviceKey) {
      const entry = listed(serviceKey)
      if (entry === null) return null
      const { plan } = entry.service.card ?? {}
      if (plan !== undefined) return plan.run()
      if (isRunning(entry)) {
        entry.isWantedAgain = true
        const operationId = operationOf(entry)?.id ?? null
        return { operationId, queued: false, alreadyRunning: true, status: 'alreadyRunning' }
      }
      const started = { operationId: null, queued: false, alreadyRunning: false } as const
      return begin(entry, 'manual') ?? { ...started, status: 'started' }
    },
  }
}

/** Which services there are, and when they run. */
function createRegistration(parts: {
  entries: Entry[]
  runner: ReturnType<typeof createRunner>
  clock: Clock
  changed: () => void
}): Pick<Schedules, 'register' | 'unregister' | 'noteRun' | 'noteEnd' | 'nextRunAt' | 'nextRunMs'> {
  const { entries, runner, clock, changed } = parts
  const { planner, lastRuns, settingsOf } = runner
  const find = (serviceKey: string) =>
    entries.find(({ service }) => service.serviceKey === serviceKey)

  function nextRunAt(serviceKey: string): Date | null {
    const entry = find(serviceKey)
    return entry === undefined ? null : planner.nextRunAt(entry, settingsOf(entry))
  }

  return {
    register(service) {
      const lastRunAt = lastRuns.of(service)
      const known = find(service.serviceKey)
      if (known !== undefined) {
        Object.assign(known, { service, lastRunAt })
        known.isStartupDue &&= settingsOf(known).intervalHours < 0
        return runner.replan(known)
      }
      const idle = { isStartupDue: false, isRunning: false, isWantedAgain: false }
      const times = { sinceMs: 0, firstMs: null, failures: 0, retryMs: Infinity, nextAt: null }
      const entry = { ...idle, ...times, service, lastRunAt }
      runner.replan(entry)
      planner.startup(entry, settingsOf(entry), lastRunAt)
      entries.push(entry)
    },
    unregister(serviceKey) {
      const at = entries.findIndex(({ service }) => service.serviceKey === serviceKey)
      if (at >= 0) entries.splice(at, 1)
    },
    noteRun(serviceKey, at) {
      const entry = find(serviceKey)
      const lastRunAt = lastRuns.note(entry?.service ?? { serviceKey }, at)
      if (entry === undefined) return
      entry.lastRunAt = lastRunAt
      runner.replan(entry)
      changed()
    },
    noteEnd(serviceKey, hasFailed) {
      const entry = find(serviceKey)
      if (entry === undefined) return
      const { customSchedule, intervalHours } = settingsOf(entry)
      const isPaused = customSchedule === null && intervalHours === 0
      if (hasFailed && !isPaused) planner.failed(entry)
      entry.failures = hasFailed ? entry.failures + 1 : 0
      changed()
    },
    nextRunAt,
    nextRunMs(serviceKey) {
      const nextAt = nextRunAt(serviceKey)
      return nextAt === null ? null : nextAt.getTime() - clock.now().getTime()
    },
  }
}

/** Runs registered services on schedule. Changes by operators are in the settings. */
export function createSchedules(parts: Parts): Schedules {
  const { settings, timers = systemTimers } = parts
  const entries: Entry[] = []
  const listeners: (() => void)[] = []
  let stopChecking: (() => void) | null = null
  let isStopped = false
  const changed = () => {
    // A run may end after the stores are closed.
    if (isStopped) return
    for (const listener of listeners) listener()
  }
  const runner = createRunner(parts, { changed })
  const { planner, settingsOf, begin, isRunning } = runner
  const trustsClock = createTrustedClock(parts)

  function checkEntry(entry: Entry): void {
    // Asked of its own run only: an operation that somebody started does not postpone the schedule.
    if (entry.isRunning) return
    if (entry.isWantedAgain && !isRunning(entry)) begin(entry, 'manual')
    else if (planner.isDue(entry, settingsOf(entry)) && entry.service.own?.isHeld() !== true) {
      begin(entry, entry.isStartupDue ? 'startup' : 'interval')
    }
  }

  function checkDue(): void {
    if (isStopped) return
    trustsClock()
    if (planner.hasStepped()) for (const entry of entries) planner.restep(entry, settingsOf(entry))
    const isSetUp = settings.get('setup.isCompleted')
    for (const entry of entries) {
      if (isSetUp || entry.service.runsBeforeSetup === true) checkEntry(entry)
    }
    stopChecking = timers.after(checkMs, checkDue)
  }

  return {
    ...createRegistration({ ...parts, entries, runner, changed }),
    trustsClock,
    start: () => void (stopChecking ??= timers.after(0, checkDue)),
    stop() {
      isStopped = true
      stopChecking?.()
    },
    ...createControls({ entries, runner, settings, changed }),
    onChange: (listener) => void listeners.push(listener),
    changed,
  }
}
