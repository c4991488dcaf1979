import { Type, type Static } from '@sinclair/typebox'
import { Flag, Int, Model, Nullable, Num, stringUnion, Text, Utc } from '../lib/schema.ts'

/** Models that both responses and events carry. */

const EventDownload = Model('EventDownload', {
  id: Int,
  eventId: Int,
  downloadId: Int,
  taggedAtUtc: Utc,
  autoTagged: Flag,
})

export const CalendarEvent = Model('Event', {
  id: Int,
  name: Text,
  description: Nullable(Text),
  startTimeUtc: Utc,
  endTimeUtc: Utc,
  /** As entered by the creator; never used for calculation. */
  startTimeLocal: Text,
  endTimeLocal: Text,
  colorIndex: Int,
  createdAtUtc: Utc,
  updatedAtUtc: Nullable(Utc),
  /** Always empty; see `/api/events/{id}/downloads`. */
  eventDownloads: Type.Array(EventDownload),
})
export type CalendarEvent = Static<typeof CalendarEvent>

export const ClientGroup = Model('ClientGroup', {
  id: Int,
  nickname: Text,
  description: Nullable(Text),
  separateMemberRows: Flag,
  createdAtUtc: Utc,
  /** With microseconds: send it back as `expectedUpdatedAtUtc`. */
  updatedAtUtc: Nullable(Utc),
  memberIps: Type.Array(Text),
})
export type ClientGroup = Static<typeof ClientGroup>

/** Which runs are shown: every one, those that a person started, none. */
export const NotificationMode = stringUnion(['all', 'manual', 'silent'])
export type NotificationMode = Static<typeof NotificationMode>

/** How notifications of a run are shown. */
export const NotificationDisplayMode = stringUnion(['full', 'condensed'])
export type NotificationDisplayMode = Static<typeof NotificationDisplayMode>

export const CustomSchedule = Model('CustomSchedule', {
  /** Cron: minute, hour, day of the month, month, day of the week. */
  expression: Text,
  /** IANA name, or `UTC`. */
  timeZoneId: Text,
  /** `HH:mm`. A run may start from here to the end, which is exclusive. */
  windowStart: Type.Optional(Nullable(Text)),
  windowEnd: Type.Optional(Nullable(Text)),
})

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

/** The list of domains that lead to a cache, and where it came from. */
export const DomainsSource = Model('DomainsSource', {
  repoUrl: Text,
  branch: Text,
  envFilePath: Nullable(Text),
  /** The caching stack forbids fetching the list. */
  noFetch: Flag,
  /** Null for the list that Larder brings along. */
  fetchedAtUtc: Nullable(Utc),
  /** The list was not fetched in this process. */
  fromCache: Flag,
  /** Where the caching stack's settings were read. */
  envSource: stringUnion(['dockerInspect', 'envFile', 'defaults'] as const),
  /** Why the list could not be fetched. */
  error: Nullable(Text),
})
export type DomainsSource = Static<typeof DomainsSource>

export const DomainsRefreshed = Type.Object({
  domainsSource: DomainsSource,
  serviceCount: Int,
  domainCount: Int,
})
