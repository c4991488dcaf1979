import type { DownloadsParts } from '../parts.ts'
import type { OperationResult } from '../../core/operations/contract.ts'
import type { SettingValue } from '../../core/settings/rules.ts'
import { AppError } from '../../core/http/errors.ts'
import { named } from '../../core/operations/names.ts'

const everyHours = 1

/** Log rotation and retention: settings, preview and run. */
export function createLogRetention(
  deps: Pick<
    DownloadsParts,
    'logs' | 'operations' | 'proxy' | 'ownProxy' | 'schedules' | 'settings' | 'hub'
  >,
) {
  const { logs, operations, proxy, ownProxy, schedules, settings, hub } = deps

  async function input() {
    const { isEnabled: _isEnabled, ...policy } = settings.get('logs.retention')
    // Each node asks its own proxy.
    const { canReopen } = await ownProxy.availability()
    return { policy, canRotate: canReopen }
  }

  async function run(signal: AbortSignal): Promise<OperationResult> {
    const { isCancelled, refused, ...counts } = await logs.applyLogRetention(await input(), {
      signal,
    })
    const fields = { ...counts, refused }
    if (counts.filesDeleted > 0) hub.publish('ServiceCountsChanged', null)
    if (isCancelled) return { kind: 'cancelled', fields }
    if (refused.length === 0) return { kind: 'completed', context: counts, fields }
    const reasons = refused.map(
      ({ datasource, file, reason }) => `${datasource}/${file}: ${reason}`,
    )
    return { kind: 'failed', error: reasons.join('; '), fields }
  }

  const submit = (isSilent: boolean) =>
    operations.submit({
      type: 'logRotation',
      scope: 'retention',
      ...named('logRetention'),
      isSilent,
      run: ({ signal }) => run(signal),
      kill: () => logs.forceKill(),
    })

  return {
    settings: () => settings.get('logs.retention'),

    save(value: SettingValue<'logs.retention'>) {
      settings.set('logs.retention', value)
      return settings.get('logs.retention')
    },

    async status() {
      const { isEnabled } = settings.get('logs.retention')
      const reopen = await proxy.availability()
      return { isEnabled, reopen, datasources: await logs.logRetentionStatus(await input()) }
    },

    /** Throws `conflict` while disabled. */
    start() {
      if (!settings.get('logs.retention').isEnabled) {
        throw new AppError('conflict', 'Log rotation and retention is disabled; enable it first')
      }
      const { operationId, alreadyRunning } = submit(false)
      return { operationId, alreadyRunning }
    },

    /** Called by the schedule. */
    tick(): void {
      if (settings.get('logs.retention').isEnabled && schedules.trustsClock()) submit(true)
    },
  }
}

/** Runs log rotation and retention every hour while enabled. */
export function keepLogs(deps: DownloadsParts): void {
  const retention = createLogRetention(deps)
  deps.schedules.register({
    serviceKey: 'logRetention',
    intervalHours: everyHours,
    runOnStartup: false,
    run: () => retention.tick(),
  })
}
