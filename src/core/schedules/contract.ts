/** Why a run begins: the service started, or the run is due. */
export type Trigger = 'startup' | 'interval'

/** A service with scheduled runs. */
export interface ScheduledService {
  /** Name in the API, for example `cacheSnapshot`. */
  serviceKey: string
  /** Hours between the starts of two runs; fractions allowed, 0: none. */
  intervalHours: number | (() => number)
  /** Runs once after the start of the process, regardless of the last run. */
  runOnStartup: boolean
  /** Minutes after the start until the first run ever; by default an interval. */
  firstRunMinutes?: number
  /** Does not wait for the end of the set-up. */
  runsBeforeSetup?: boolean
  /** Does the work or submits an operation. A rejected run is retried after a minute. */
  run(trigger: Trigger): Promise<void> | void
}

export interface Schedules {
  /** Adds a service; its first run is due `intervalHours` after the last one, which is stored. */
  register(service: ScheduledService): void
  /** A run began in another way: the next one is due an interval from now. */
  noteRun(serviceKey: string): void
  /** Start of the last run, null: never. */
  lastRunAt(serviceKey: string): Date | null
  /** Until the next run is due, in elapsed time; null: none. */
  nextRunMs(serviceKey: string): number | null
  /** Starts due runs, once the installation is set up. */
  start(): void
  /** Starts no more runs; does not wait for current ones. */
  stop(): void
}
