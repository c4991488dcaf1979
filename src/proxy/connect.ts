import type { Deps } from '../deps.ts'

/**
 * Tells the proxy whenever a log file it writes to was replaced or deleted, and once a day. Best
 * effort: what cannot be told is in the service's log, and what the proxy writes to the old file
 * is read on.
 */
export function connectLogReopening(
  deps: Pick<Deps, 'config' | 'log' | 'logs' | 'proxy' | 'schedules' | 'operations'>,
): void {
  const { config, log, logs, proxy, schedules, operations } = deps
  const { isEnabled, scheduleHours } = config.logRotation
  logs.onReopenWanted((mark) => {
    void (async () => {
      const { isDone } = await proxy.reopenLogs()
      if (isDone) await logs.logsReopened(mark)
    })().catch((error: unknown) => {
      log.warn({ error: String(error) }, 'the log engine was not told that logs were reopened')
    })
  })
  if (!isEnabled) return
  schedules.register({
    serviceKey: 'logRotation',
    intervalHours: scheduleHours,
    runOnStartup: false,
    run() {
      operations.submit({
        type: 'logRotation',
        scope: 'bulk',
        name: 'Reopening of the proxy’s logs',
        isSilent: true,
        async run() {
          const { isDone, message } = await proxy.reopenLogs()
          return isDone ? { kind: 'completed', message } : { kind: 'skipped', message }
        },
      })
    },
  })
}
