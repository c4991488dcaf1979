/** Why a run begins: the service started, or the run is due. */
export type Trigger = 'startup' | 'interval'

/** A service with scheduled runs. */
export interface ScheduledService {
  /** Name in the API, for example `cacheSnapshot`. */
  serviceKey: string
  /** Hours between the starts of two runs; fractions allowed. */
  intervalHours: number
  /** Runs once after the start of the process, regardless of the last run. */
  runOnStartup: boolean
  /** Does the work or submits an operation. A rejected run is retried after a minute. */
  run(trigger: Trigger): Promise<void> | void
}

export interface Schedules {
  /** Adds a service; its first run is due `intervalHours` after the last one, which is stored. */
  register(service: ScheduledService): void
  /** Starts due runs, once the installation is set up. */
  start(): void
  /** Starts no more runs; does not wait for current ones. */
  stop(): void
}
