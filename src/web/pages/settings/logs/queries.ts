import { api } from '../../../api/client.ts'
import { useAccountRead } from '../../../api/queries.ts'

export type {
  LogRetentionFile,
  LogRetentionSettings as LogRetention,
  LogRetentionSource,
} from '../../../../engines/logs/log-retention/wire.ts'
export type { SourcePositions as LogPositions } from '../../../../engines/logs/wire.ts'

/** Root of all queries about log files. */
export const logsKey = ['logs'] as const

/** Positions change without events. */
const followMs = 5000
const factsMs = 30_000

export const usePositions = () =>
  useAccountRead([...logsKey, 'positions'], api.logs.positions.get, { refetchInterval: followMs })

/** Lines in the files by service, and whether the folder is writable. */
export const useLogCounts = () =>
  useAccountRead([...logsKey, 'counts'], api.logs['service-counts']['by-datasource'].get, {
    refetchInterval: factsMs,
  })
export type LogCounts = NonNullable<ReturnType<typeof useLogCounts>['data']>[number]

/** Whether the proxy can be made to reopen its logs. */
export const useReopen = () =>
  useAccountRead([...logsKey, 'reopen'], api.ext.logs.reopen.get, { refetchInterval: factsMs })

/** Rows that the history refused. */
export const useQuarantine = () =>
  useAccountRead([...logsKey, 'quarantine'], api.ext.logs.quarantine.get, {
    refetchInterval: factsMs,
  })

export const useLogRetention = () =>
  useAccountRead([...logsKey, 'retention', 'settings'], api.ext.logs.retention.get)

/** What of each file was counted, and what the settings would do with it now. */
export const useLogRetentionStatus = () =>
  useAccountRead([...logsKey, 'retention', 'status'], api.ext.logs.retention.status.get, {
    refetchInterval: factsMs,
  })
