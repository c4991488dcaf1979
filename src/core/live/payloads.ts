import { Type, type Static, type TSchema } from '@sinclair/typebox'
import {
  Bytes,
  Flag,
  Int,
  Model,
  Nullable,
  Percent,
  stringUnion,
  Text,
  Utc,
} from '../lib/schema.ts'
import {
  jobPrefixes,
  operationStatuses,
  operationTypes,
  type JobPrefix,
  type OperationView,
} from '../operations/contract.ts'
import {
  compose,
  jobEndings,
  platformEvents,
  platformPrefixes,
  type EventName,
  type JobEnding,
  type PlatformPrefix,
} from './events.ts'
import { CalendarEvent, ClientGroup, DomainsRefreshed, ServiceSchedule } from './models.ts'
import { platformPayloads, type PlatformEvent, type PlatformPayload } from './prefill-payloads.ts'

const speed = Type.Number({ description: 'Bytes per second' })
const open = (description: string) => Type.Unsafe<object>(Type.Object({}, { description }))

const activitySnapshot = Model('ActivitySnapshot', {
  revision: Type.Integer({ description: 'Grows with every change; a lower one is older' }),
  activities: Type.Array(
    Type.Object({
      domain: Text,
      key: Text,
      aspect: Text,
      isActive: Flag,
      activeCount: Int,
    }),
    { description: 'What is missing here is not active' },
  ),
})
export type ActivitySnapshot = Static<typeof activitySnapshot>
export type Activities = ActivitySnapshot['activities']
/** The snapshot before every viewer gets a share of it. */
export interface ActivityUpdate extends ActivitySnapshot {
  /** Of sessions that only the owner may see. */
  ofOwner: Activities
}

const sessionNotice = Model('SessionNotice', {
  sessionId: Text,
  sessionType: Type.String({
    description: '`admin`, `user`, `guest`; `unknown` for the end of another session',
  }),
})

const traffic = { totalBytes: Bytes, cacheHitBytes: Bytes, cacheMissBytes: Bytes }

const speeds = Model('SpeedSnapshot', {
  timestampUtc: Utc,
  totalBytesPerSecond: speed,
  gameSpeeds: Type.Array(
    Type.Object({
      depotId: Int,
      gameName: Nullable(Text),
      gameAppId: Nullable(Int),
      betaAppId: Nullable(Text),
      service: Text,
      clientIp: Text,
      bytesPerSecond: speed,
      ...traffic,
      requestCount: Int,
      cacheHitPercent: Percent,
      isEvicted: Flag,
    }),
  ),
  clientSpeeds: Type.Array(
    Type.Object({ clientIp: Text, bytesPerSecond: speed, ...traffic, activeGames: Int }),
  ),
  windowSeconds: Int,
  entriesInWindow: Int,
  hasActiveDownloads: Flag,
})

const status = Type.Unsafe<OperationView['status']>(Type.String({ enum: [...operationStatuses] }))
const context = Nullable(Type.Record(Text, Type.Unknown()))

export const operation = Model('Operation', {
  id: Text,
  type: Type.Unsafe<OperationView['type']>(Type.String({ enum: [...operationTypes] })),
  scope: Text,
  name: Text,
  nameKey: Nullable(Text),
  nameContext: Type.Unsafe<OperationView['nameContext']>(context),
  status,
  percentComplete: Percent,
  stageKey: Nullable(Text),
  context,
  message: Nullable(Text),
  error: Nullable(Text),
  isSilent: Flag,
  createdAt: Utc,
  startedAt: Nullable(Utc),
  finishedAt: Nullable(Utc),
})

const shared = {
  operationId: Text,
  message: Nullable(Text),
  stageKey: Text,
  context,
}
const showNotification = Type.Optional(Flag)

/** What events of long jobs have in common; each kind of job adds members of its own. */
const jobMembers = {
  Started: { ...shared, timestamp: Nullable(Utc), showNotification },
  Progress: { ...shared, status, percentComplete: Percent },
  Complete: {
    ...shared,
    timestamp: Nullable(Utc),
    success: Flag,
    status,
    cancelled: Flag,
    error: Nullable(Text),
    showNotification,
  },
}

const jobPayloads = {
  Started: Model('JobStarted', jobMembers.Started),
  Progress: Model('JobProgress', jobMembers.Progress),
  Complete: Model('JobComplete', jobMembers.Complete),
}

const scheduled = {
  serviceCount: Type.Integer({ description: 'Schedules of this run' }),
  scheduleId: Type.Optional(Type.String({ description: 'Of a run of one schedule' })),
  scheduleName: Type.Optional(Text),
  showNotification: Flag,
}
const scheduledStep = {
  serviceId: Text,
  stage: stringUnion([
    'starting',
    'running',
    'completed',
    'failed',
    'cancelled',
    'skipped',
    'needs-login',
  ]),
  message: Text,
  messageKey: Type.Union([Text, Type.Null()], {
    description: 'Of the message of an outcome; null on the way, and for a text of the daemon',
  }),
  messageValues: Type.Record(Text, Type.Union([Text, Type.Number()])),
  needsLoginReason: Nullable(Text),
  bytesDownloaded: Bytes,
  totalBytes: Bytes,
  downloadSessionId: Nullable(Text),
}

/** How guests may prefill on a platform; each has its own name of the limit of threads. */
const guestPrefill = { enabledByDefault: Flag, durationHours: Int }

const clock = open('Clock settings')
const serverTime = Type.Object({ serverTime: Utc })
/** All rows of a table were deleted. */
const cleared = Type.Object({ message: Text, timestamp: Utc })
const foundGames = {
  totalGames: Int,
  newGames: Int,
  updatedGames: Int,
  lastUpdatedUtc: Nullable(Utc),
  source: Text,
}

/** Payloads of single events; the compiler holds senders to them. */
const eventPayloads = {
  Welcome: serverTime,
  Pong: serverTime,
  ActivityUpdated: activitySnapshot,
  DownloadSpeedUpdate: speeds,
  DownloadsRefresh: Type.Unsafe<{
    reason?: string
    source?: string
    [member: string]: unknown
  } | null>(Nullable(Type.Object({ reason: Type.Optional(Text), source: Type.Optional(Text) }))),
  HistoryStatusChanged: Type.Object({ state: Text, message: Nullable(Text) }),

  ServiceCountsChanged: Type.Null(),
  ClientHostnamesChanged: Type.Null(),
  SchedulesUpdated: Type.Array(ServiceSchedule),
  CacheScanComplete: Type.Object({
    operationId: Text,
    success: Flag,
    cancelled: Flag,
    error: Nullable(Text),
  }),
  StatusCheckProgress: Type.Object({
    operationId: Text,
    completedDomains: Int,
    totalDomains: Int,
    currentService: Nullable(Text),
  }),
  StatusCheckComplete: Type.Object({
    operationId: Text,
    success: Flag,
    cancelled: Flag,
    error: Nullable(Text),
    result: Type.Unsafe<object | null>(
      Nullable(Type.Object({}, { description: '`lastResult` of `GET /api/status-check`' })),
    ),
  }),
  CacheDomainsRefreshed: DomainsRefreshed,

  AlphaSessionError: Type.Object({
    errorType: stringUnion(['refused', 'unreachable']),
    stageKey: Text,
    context: Type.Object({
      result: Type.Optional(Text),
      maxAttempts: Type.Optional(Int),
    }),
    result: Nullable(Type.String({ description: 'Name of the result that Steam sent' })),
    extendedResult: Nullable(Int),
    timestamp: Utc,
    wasRebuildActive: Flag,
  }),
  AlphaAutoLogout: Type.Object({
    message: Text,
    reason: Type.String({ description: 'Name of the result that Steam sent' }),
    replacementCount: Int,
    timestamp: Utc,
  }),
  AutomaticScanSkipped: Type.Object({
    stageKey: Text,
    context: Type.Object({ changeGap: Int, estimatedAppsToScan: Int }),
    timestamp: Utc,
  }),
  BetaGameMappingsUpdated: Type.Object(foundGames),
  EpsilonGameMappingsUpdated: Type.Object(foundGames),
  EpsilonMappingAuthStateChanged: Type.Object({
    operationId: Text,
    status: Text,
    stageKey: Text,
    message: Nullable(Text),
    error: Nullable(Text),
  }),
  GameImagesUpdated: Type.Object({
    newAlphaImages: Int,
    newBetaImages: Int,
    newNameKeyedImages: Int,
    cacheGeneration: Int,
  }),
  RetentionUpdated: Type.Object({
    pending: Type.Integer({ description: 'Games that rules of retention are about to remove' }),
  }),

  OperationUpdated: operation,
  OperationWaiting: Type.Object({
    operationId: Text,
    operationType: Text,
    name: Text,
    blockedByName: Nullable(Text),
  }),
  OperationWaitingComplete: Type.Object({
    operationId: Text,
    operationType: Text,
    cancelled: Flag,
    error: Nullable(Text),
    promoted: Flag,
  }),

  UserSessionCreated: sessionNotice,
  UserSessionRevoked: sessionNotice,
  UserSessionDeleted: sessionNotice,
  UserSessionsCleared: Type.Union([
    Type.Object({ clearedCount: Int, sessionType: Text }),
    Type.Object({
      clearedCount: Int,
      clearCookies: Flag,
      stageKey: Text,
      context: Nullable(Type.Object({})),
      timestamp: Utc,
    }),
  ]),
  SessionLastSeenUpdated: Type.Object({ sessionId: Text, lastSeenAt: Utc }),
  UserPreferencesUpdated: Type.Object({ sessionId: Text, preferences: open('All preferences') }),
  UserPreferencesReset: Type.Union([
    Type.Object({ affectedCount: Int, sessionType: Text }),
    cleared,
  ]),
  GuestRefreshRateUpdated: Type.Object({ sessionId: Text, refreshRate: Nullable(Text) }),
  GuestPrefillPermissionChanged: Type.Object({
    sessionId: Text,
    service: Text,
    enabled: Flag,
    prefillExpiresAt: Nullable(Utc),
  }),
  DirectoryPermissionsChanged: Type.Object({
    timestamp: Utc,
    datasources: Type.Array(Type.Object({ name: Text, cacheWritable: Flag, logsWritable: Flag })),
  }),
  DefaultGuestRefreshRateChanged: Type.Object({ refreshRate: Text }),
  GuestRefreshRateLockChanged: Type.Object({ locked: Flag }),
  AllowedTimeFormatsChanged: Type.Object({
    formats: Type.Unsafe<readonly string[]>(Type.Array(Text)),
  }),
  DefaultGuestPreferencesChanged: Type.Union([
    Type.Object({ key: Text, value: Flag }),
    Type.Object({ key: Type.Literal('clock'), clock, previousClock: clock }),
  ]),
  MetricsSecurityUpdated: Type.Object({
    requiresAuthentication: Flag,
    source: Type.Unsafe<'ui' | 'config'>(Type.String({ enum: ['ui', 'config'] })),
    canToggle: Flag,
    envVarValue: Flag,
  }),
  PrefillDefaultsChanged: Type.Object({
    operatingSystems: Type.Array(Text),
    maxConcurrency: Text,
    serverThreadCount: Int,
    maxThreadLimit: Nullable(Int),
    betaDefaultPrefillMaxConcurrency: Text,
  }),
  GuestPrefillConfigChanged: Type.Object({ ...guestPrefill, maxThreadCount: Nullable(Int) }),
  BetaGuestPrefillConfigChanged: Type.Object({
    ...guestPrefill,
    betaMaxThreadCount: Nullable(Int),
  }),
  GammaGuestPrefillConfigChanged: Type.Object(guestPrefill),
  DeltaGuestPrefillConfigChanged: Type.Object(guestPrefill),
  EpsilonGuestPrefillConfigChanged: Type.Object({
    ...guestPrefill,
    epsilonMaxThreadCount: Nullable(Int),
  }),
  ScheduledPrefillStarted: Model('ScheduledPrefillStarted', {
    ...jobMembers.Started,
    ...scheduled,
  }),
  ScheduledPrefillProgress: Model('ScheduledPrefillProgress', {
    ...jobMembers.Progress,
    ...scheduledStep,
    ...scheduled,
    scheduleId: Text,
    scheduleName: Text,
  }),
  ScheduledPrefillCompleted: Model('ScheduledPrefillCompleted', {
    ...jobMembers.Complete,
    ...scheduled,
  }),
  SessionSubscribed: platformPayloads.DaemonSessionCreated,
  DefaultGuestThemeChanged: Type.Object({ newThemeId: Nullable(Text) }),
  GuestModeLockChanged: Type.Object({ isLocked: Flag }),
  GuestDurationUpdated: Type.Object({ durationHours: Int }),

  EventCreated: CalendarEvent,
  EventUpdated: CalendarEvent,
  EventsCleared: cleared,
  EventDeleted: Type.Integer({ description: 'Id of the event' }),
  DownloadTagged: Type.Object({ eventId: Int, downloadId: Int }),
  ClientGroupCreated: ClientGroup,
  ClientGroupUpdated: ClientGroup,
  ClientGroupsCleared: cleared,
  ClientGroupDeleted: Type.Integer({ description: 'Id of the group' }),
}

type EventPayloads = { [E in keyof typeof eventPayloads]: Static<(typeof eventPayloads)[E]> } & {
  [E in PlatformEvent as `${PlatformPrefix}${E}`]: PlatformPayload<E>
} & { [E in JobEnding as `${JobPrefix}${E}`]: Static<(typeof jobPayloads)[E]> }

/** The payload of an event. */
export type PayloadOf<E extends EventName> = EventPayloads[E]

/** Schemas of the payloads, by the names of the events. */
export const payloadSchemas: ReadonlyMap<string, TSchema> = new Map<string, TSchema>([
  ...Object.entries(eventPayloads),
  ...compose(platformPrefixes, platformEvents, (event) => platformPayloads[event]),
  ...compose(jobPrefixes, jobEndings, (ending) => jobPayloads[ending]),
])
