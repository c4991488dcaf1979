import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createHistory } from '../../db/history/create.ts'
import type { History } from '../../db/history/history.ts'
import { openState } from '../../db/state/open.ts'
import type { Config } from './config.ts'
import type { Core } from './core.ts'
import { systemClock, type Clock } from './lib/clock.ts'
import type { Logger } from './lib/log.ts'
import { sealerAt } from './lib/seal.ts'
import { RecentLog } from './lib/recent-log.ts'
import { systemTimers, type Timers } from './lib/timers.ts'
import { createActivity } from './live/activity.ts'
import type { EventCatalogue } from './live/events.ts'
import { createHub } from './live/hub.ts'
import { createOperations } from './operations/registry.ts'
import { createSchedules } from './schedules/create.ts'
import { createCredentials } from './secrets/credentials.ts'
import type { SettingRules } from './settings/rules.ts'
import { createSettings } from './settings/settings.ts'

export interface CoreReplacements {
  history?: History
  clock?: Clock
  timers?: Timers
  /** Where the logger keeps its newest lines. */
  recentLog?: RecentLog
}

interface CoreParts {
  config: Config
  log: Logger
  events: EventCatalogue
  settingRules: SettingRules
}

/** Builds the core; starts nothing. */
export function createCore(
  { config, log, events, settingRules }: CoreParts,
  replaced: CoreReplacements = {},
): Core {
  mkdirSync(config.dataPath, { recursive: true })
  const { clock = systemClock, timers = systemTimers } = replaced
  const history = replaced.history ?? createHistory(config, log)
  const state = openState(config.dataPath)
  const settings = createSettings(state, clock, settingRules)
  const sealer = sealerAt(join(config.dataPath, 'security', 'seal.key'))
  const credentials = createCredentials(state, sealer, clock)
  const hub = createHub({ events, log, clock })
  const operations = createOperations({ state, clock, log, hub, timers })
  const schedules = createSchedules({ state, settings, operations, clock, log, timers })
  return {
    config,
    log,
    recentLog: replaced.recentLog ?? new RecentLog(),
    clock,
    timers,
    state,
    settings,
    credentials,
    history,
    operations,
    events,
    hub,
    activity: createActivity(hub),
    schedules,
  }
}
