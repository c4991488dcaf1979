import type { CacheParts } from '../parts.ts'
import { systemTimers } from '../../core/lib/timers.ts'
import { named } from '../../core/operations/names.ts'
import { reopenUntilDone } from './reopen-until-done.ts'

/**
 * Makes the proxy reopen its logs whenever a log file was replaced or deleted, and once a day. Best
 * effort: failures are logged, and what the proxy writes to the old file is still read.
 */
export function connectLogReopening(
  deps: Pick<
    CacheParts,
    'config' | 'log' | 'logs' | 'proxy' | 'ownProxy' | 'schedules' | 'operations'
  >,
): void {
  const { config, log, logs, proxy, ownProxy, schedules, operations } = deps
  const { isEnabled, scheduleHours } = config.logRotation
  const own = { proxy: ownProxy, logs, log, isEnabled, timers: systemTimers }
  // A node signals its proxy itself.
  logs.onReopenWanted(reopenUntilDone(own))
  if (!isEnabled) return
  schedules.register({
    serviceKey: 'logRotation',
    intervalHours: scheduleHours,
    runOnStartup: false,
    card: { notificationMode: 'manual', operationType: 'logRotation' },
    run(_trigger, { isSilent }) {
      return operations.submit({
        type: 'logRotation',
        scope: 'bulk',
        ...named('logReopening'),
        isSilent,
        ...(!isSilent && { events: { prefix: 'LogRotation' } }),
        async run() {
          const { isDone, message, detail } = await proxy.reopenLogs()
          return { kind: isDone ? 'completed' : 'skipped', message, context: { detail } }
        },
      })
    },
  })
}
