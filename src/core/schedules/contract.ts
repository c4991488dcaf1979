/** Why a run begins: the service started, or its time has come. */
export type Trigger = 'startup' | 'interval'

/** A service that runs by the clock. */
export interface ScheduledService {
  /** Name on the wire, for example `cacheSnapshot`. */
  serviceKey: string
  /** Hours between the starts of two runs; fractions allowed. */
  intervalHours: number
  /** Runs once after the start of the process, whenever the last run was. */
  runOnStartup: boolean
  /** Does the work or submits an operation. A rejected run is tried again after a minute. */
  run(trigger: Trigger): Promise<void> | void
}

export interface Schedules {
  /** Adds a service; its first run is due `intervalHours` after the last one, kept over restarts. */
  register(service: ScheduledService): void
  /** Begins to run what is due, as soon as the set-up of the installation is completed. */
  start(): void
  /** No run begins afterwards. Runs that are under way are not waited for. */
  stop(): void
}
