import type { OperationType, Queued } from '../operations/contract.ts'
import type {
  CustomSchedule,
  NotificationMode,
  ScheduleSettings,
} from '../settings/schedule-settings.ts'

/** Why a run begins: the service started, the run is due, or a person started it. */
export type Trigger = 'startup' | 'interval' | 'manual'

/** What the API shows of a service, and its defaults there. */
export interface ScheduleCard {
  notificationMode: NotificationMode
  /** Runs are operations of this type; null: they are not operations. */
  operationType: OperationType | null
  /** Scope of these operations; by default `bulk`. */
  operationScope?: string
  /**
   * Where a service keeps its interval itself; `usual` is the default. `set` throws what the caller
   * is to receive.
   */
  interval?: { usual: number; set(hours: number): void; reset(): void }
  /** Without it always. */
  isListed?(): boolean
  /** What keeps runs from doing their work; null: nothing. */
  hindrance?(): Hindrance | null
  /** A service that plans its runs itself: the registered interval is only how often it checks. */
  plan?: OwnPlan
}

export interface Hindrance {
  /** Nobody is signed in; left out where no account is needed. */
  awaitingSignIn?: boolean
  /** Steam no longer knows every change since the last crawl: only a full one helps. */
  pendingFullScan?: { changeGap: number; estimatedAppsToScan: number } | null
}

export interface OwnPlan {
  view(): Pick<ScheduleView, 'intervalHours' | 'isRunning' | 'lastRunAt' | 'nextRunAt'>
  /** Starts a run by hand. */
  run(): Queued
}

/**
 * Times that a service keeps itself. A calendar run that was missed is made up for as soon as its
 * window is open. When a run counts is the service's matter: it stores that, and calls `noteRun`.
 */
export interface OwnTimes {
  /** Takes precedence over the interval. */
  customSchedule: CustomSchedule | null
  /** From when the next run is calculated; null: from now. */
  lastRunAt: Date | null
  /** A run that is due waits meanwhile. */
  isHeld(): boolean
}

export interface ScheduledService {
  /** Name in the API, for example `cacheSnapshot`. */
  serviceKey: string
  /** Hours between the starts of two runs; fractions allowed, 0: none. */
  intervalHours: number | (() => number)
  /** Runs once after the start of the process, regardless of the last run. */
  runOnStartup: boolean
  /** The same for this start only, because there is no result yet; not a setting. */
  isDueAtStart?: boolean
  /** Minutes after the start until the first run ever; by default an interval. */
  firstRunMinutes?: number
  /** Does not wait for the end of the set-up. */
  runsBeforeSetup?: boolean
  /** Without it the service is internal: it is not listed and cannot be changed. */
  card?: ScheduleCard
  own?: OwnTimes
  /**
   * Does the work or submits an operation. A rejected run is retried after a minute. `isSilent`:
   * the run is to send no notifications.
   */
  run(trigger: Trigger, options: { isSilent: boolean }): Queued | Promise<void> | void
}

/** A listed service. */
export interface ScheduleView extends ScheduleSettings {
  serviceKey: string
  operationType: OperationType | null
  defaults: ScheduleSettings
  /** Its times and notifications are set elsewhere. */
  hasOwnPlan: boolean
  isRunning: boolean
  lastRunAt: Date | null
  /** Null: no run is due. */
  nextRunAt: Date | null
  hindrance: Hindrance | null
}

export interface StartedRun extends Omit<Queued, 'operationId'> {
  /** Null when the run is not an operation. */
  operationId: string | null
}

export interface Schedules {
  /**
   * Adds a service; its first run is due `intervalHours` after the last one, which is stored. A
   * service of the same key is replaced: its times have changed.
   */
  register(service: ScheduledService): void
  unregister(serviceKey: string): void
  /** A run began in another way: the next one is due an interval from then; by default from now. */
  noteRun(serviceKey: string, at?: Date): void
  /** A run's operation has ended. A failed one is retried after a minute, then with growing pauses. */
  noteEnd(serviceKey: string, hasFailed: boolean): void
  /** Null: no run is due. */
  nextRunAt(serviceKey: string): Date | null
  /** Until the next run is due, in elapsed time; null: none. */
  nextRunMs(serviceKey: string): number | null
  /** Whether the time of day may decide what is deleted by age; see `trusted-clock.ts`. */
  trustsClock(): boolean
  /** Starts due runs, once the installation is set up. */
  start(): void
  /** Starts no more runs; does not wait for current ones. */
  stop(): void
  /** Listed services in the order of their registration. */
  list(): ScheduleView[]
  /** Changes a listed service. Null: unknown. */
  change(serviceKey: string, settings: Partial<ScheduleSettings>): ScheduleView | null
  /** Sets every service back to its defaults. */
  reset(): void
  /** Runs a listed service now, or once more after its current run. Null: unknown. */
  run(serviceKey: string): StartedRun | null
  /** Called when the list has changed. */
  onChange(listener: () => void): void
  /** What `isListed` depends on has changed. */
  changed(): void
}
