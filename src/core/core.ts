import type { History } from '../../db/history/history.ts'
import type { StateDatabase } from '../../db/state/open.ts'
import type { Config } from './config.ts'
import type { Clock } from './lib/clock.ts'
import type { Logger } from './lib/log.ts'
import type { RecentLog } from './lib/recent-log.ts'
import type { Timers } from './lib/timers.ts'
import type { Activity } from './live/activity.ts'
import type { LiveHub } from './live/contract.ts'
import type { EventCatalogue } from './live/events.ts'
import type { Operations } from './operations/contract.ts'
import type { Schedules } from './schedules/contract.ts'
import type { Credentials } from './secrets/credentials.ts'
import type { Settings } from './settings/settings.ts'

/** The parts that every group uses and that know no group. Built once by `service.ts`. */
export interface Core {
  config: Config
  log: Logger
  /** The newest lines of the log. */
  recentLog: RecentLog
  clock: Clock
  timers: Timers
  state: StateDatabase
  settings: Settings
  /** Sealed keys and tokens of platforms. */
  credentials: Credentials
  history: History
  operations: Operations
  events: EventCatalogue
  hub: LiveHub
  /** What is active now, for the dashboards. */
  activity: Activity
  schedules: Schedules
}
