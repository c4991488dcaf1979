import { Type, type Static } from '@sinclair/typebox'
import { Flag, Int, Model, Nullable, Num, Percent, Text, Utc } from '../../core/http/schema.ts'
import {
  CustomSchedule,
  NotificationDisplayMode,
  NotificationMode,
} from '../../core/settings/schedule-settings.ts'

export { NotificationDisplayMode, NotificationMode }

export const ServiceSchedule = Model('ServiceSchedule', {
  key: Text,
  /** 0: paused; -1: only at the start of the service. */
  intervalHours: Num,
  runOnStartup: Flag,
  isRunning: Flag,
  lastRunUtc: Nullable(Utc),
  nextRunUtc: Nullable(Utc),
  notificationMode: NotificationMode,
  supportsNotifications: Flag,
  notificationDisplayMode: NotificationDisplayMode,
  customSchedule: Nullable(CustomSchedule),
  pendingFullScan: Nullable(Type.Object({ changeGap: Int, estimatedAppsToScan: Int })),
  awaitingSignIn: Nullable(
    Type.Boolean({ description: 'Runs do nothing until somebody signs in; null: need no account' }),
  ),
  /** Settings of a service that nobody changed. */
  defaults: Type.Object({
    intervalHours: Num,
    runOnStartup: Flag,
    notificationMode: NotificationMode,
  }),
})
export type ServiceSchedule = Static<typeof ServiceSchedule>

export const IntervalBody = Type.Object({ intervalHours: Num })
export const StartupBody = Type.Object({ runOnStartup: Flag })
export const CustomScheduleBody = Type.Object({ customSchedule: Nullable(CustomSchedule) })

export const RunStatus = Type.Object({
  isRunning: Flag,
  operationId: Nullable(Text),
  percentComplete: Percent,
  stageKey: Nullable(Text),
  context: Nullable(Type.Record(Text, Type.Unknown())),
  showNotification: Flag,
})
export type RunStatus = Static<typeof RunStatus>

export const StartedAll = Type.Object({ triggeredCount: Int, alreadyRunningCount: Int })

export const NextRunsQuery = Type.Object({
  expression: Type.String({ maxLength: 200, description: 'Cron, five fields' }),
  timeZoneId: Type.String({ maxLength: 100, description: 'IANA name, or UTC' }),
  windowStart: Type.Optional(Type.String({ maxLength: 10, description: 'HH:mm, inclusive' })),
  windowEnd: Type.Optional(Type.String({ maxLength: 10, description: 'HH:mm, exclusive' })),
})
/** The next runs of a calendar, or why it is refused. */
export const NextRuns = Model('NextRuns', { runs: Type.Array(Utc), problem: Nullable(Text) })
export type NextRuns = Static<typeof NextRuns>
