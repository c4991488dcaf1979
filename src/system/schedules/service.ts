import { AppError } from '../../core/http/errors.ts'
import type { OperationType, OperationView } from '../../core/operations/contract.ts'
import type { ScheduleView } from '../../core/schedules/contract.ts'
import type { CustomSchedule, ScheduleSettings } from '../../core/settings/schedule-settings.ts'
import { checkCustomSchedule, nextRun, ScheduleError } from '../../core/schedules/custom.ts'
import type { SystemParts } from '../parts.ts'
import type { NextRuns, RunStatus, ServiceSchedule } from './model.ts'
import type { Queued } from '../../core/operations/contract.ts'

/** For a run that is no operation: a script that polls it reads that nothing runs. */
const noOperation = '00000000-0000-0000-0000-000000000000'
/** Of a calendar that names no window. */
const anyTime = { windowStart: null, windowEnd: null }
/** Runs of a calendar that a preview shows. */
const runsShown = 3
/** Kinds of runs with a status but without a schedule of their own. */
const unscheduled: readonly OperationType[] = ['gammaMapping', 'deltaMapping']

const wireOf = (view: ScheduleView): ServiceSchedule => ({
  key: view.serviceKey,
  intervalHours: view.intervalHours,
  runOnStartup: view.runOnStartup,
  isRunning: view.isRunning,
  lastRunUtc: view.lastRunAt?.toISOString() ?? null,
  nextRunUtc: view.nextRunAt?.toISOString() ?? null,
  notificationMode: view.notificationMode,
  supportsNotifications: !view.hasOwnPlan,
  notificationDisplayMode: view.displayMode,
  customSchedule: view.customSchedule,
  pendingFullScan: view.hindrance?.pendingFullScan ?? null,
  awaitingSignIn: view.hindrance?.awaitingSignIn ?? null,
  defaults: {
    intervalHours: view.defaults.intervalHours,
    runOnStartup: view.defaults.runOnStartup,
    notificationMode: view.defaults.notificationMode,
  },
})

const runStatusOf = (operation: OperationView | null, isRunning: boolean): RunStatus => ({
  isRunning: isRunning || operation !== null,
  operationId: operation?.id ?? null,
  percentComplete: operation?.percentComplete ?? 0,
  stageKey: operation?.stageKey ?? null,
  context: operation?.context ?? null,
  showNotification: operation === null || !operation.isSilent,
})

const unknown = () => new AppError('notFound', 'Schedule not found')

/** The first runs of a calendar, or why it is refused. */
function nextRunsOf(calendar: CustomSchedule, now: Date): NextRuns {
  const runs: string[] = []
  try {
    checkCustomSchedule(calendar, now)
    for (let at: Date | null = now; at !== null && runs.length < runsShown;) {
      at = nextRun(calendar, at)
      if (at !== null) runs.push(at.toISOString())
    }
    return { runs, problem: null }
  } catch (error) {
    if (!(error instanceof ScheduleError)) throw error
    return { runs: [], problem: error.message }
  }
}

/** Schedules of the services: their settings, and runs on request. */
export function createScheduleService(
  parts: Pick<SystemParts, 'clock' | 'hub' | 'operations' | 'schedules'>,
) {
  const { clock, hub, operations, schedules } = parts
  const list = () => schedules.list().map(wireOf)
  const publish = () => hub.publish('SchedulesUpdated', list())
  const running = () =>
    schedules
      .list()
      .flatMap(({ serviceKey, isRunning }) => (isRunning ? [serviceKey] : []))
      .join(' ')

  function viewOf(serviceKey: string): ScheduleView {
    const found = schedules.list().find((view) => view.serviceKey === serviceKey)
    if (found === undefined) throw unknown()
    return found
  }

  const statusOf = (type: OperationType | null, isRunning: boolean) =>
    runStatusOf(type === null ? null : operations.active(type), isRunning)

  return {
    /** Publishes changes of the list. */
    start(): void {
      let known = running()
      schedules.onChange(publish)
      operations.onChange(() => {
        const now = running()
        if (now === known) return
        known = now
        publish()
      })
    },

    list,
    /** Throws `notFound`, like everything below. */
    read: (serviceKey: string) => wireOf(viewOf(serviceKey)),

    change(serviceKey: string, change: Partial<ScheduleSettings>): void {
      if (viewOf(serviceKey).hasOwnPlan && change.displayMode === undefined) {
        throw new AppError(
          'conflict',
          'This service keeps its schedule in a configuration of its own',
        )
      }
      if (schedules.change(serviceKey, change) === null) throw unknown()
    },

    /** Throws ScheduleError for a schedule that is not valid or never runs. */
    setCustom(serviceKey: string, customSchedule: CustomSchedule | null): void {
      if (viewOf(serviceKey).hasOwnPlan) {
        throw new ScheduleError('customSchedule: this service has a configuration of its own')
      }
      if (customSchedule !== null) checkCustomSchedule(customSchedule, clock.now())
      const custom = customSchedule && { ...anyTime, ...customSchedule }
      schedules.change(serviceKey, { customSchedule: custom })
    },

    nextRuns: (calendar: CustomSchedule) => nextRunsOf(calendar, clock.now()),

    run(serviceKey: string): Queued {
      const started = schedules.run(serviceKey)
      if (started === null) throw unknown()
      return { ...started, operationId: started.operationId ?? noOperation }
    },

    runAll() {
      const runs = schedules.list().map(({ serviceKey }) => schedules.run(serviceKey))
      const alreadyRunningCount = runs.filter((run) => run?.alreadyRunning === true).length
      return { triggeredCount: runs.length - alreadyRunningCount, alreadyRunningCount }
    },

    reset: () => schedules.reset(),

    /** The key in any case. */
    runStatus(serviceKey: string): RunStatus {
      const key = serviceKey.toLowerCase()
      const alone = unscheduled.find((type) => type.toLowerCase() === key)
      if (alone !== undefined) return statusOf(alone, false)
      const view = schedules.list().find((one) => one.serviceKey.toLowerCase() === key)
      if (view === undefined) throw unknown()
      return statusOf(view.operationType, view.isRunning)
    },
  }
}

export type ScheduleService = ReturnType<typeof createScheduleService>
