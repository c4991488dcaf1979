import { Type, type Static, type TProperties, type TSchema } from '@sinclair/typebox'
import { operationTypes, type OperationView } from '../operations/contract.ts'

const text = Type.String()
const flag = Type.Boolean()
const int = Type.Integer()
const utc = Type.String({ description: 'ISO-8601, UTC' })
const bytes = Type.Integer({ description: 'Bytes' })
const speed = Type.Number({ description: 'Bytes per second' })
const percent = Type.Number({ description: 'Percent, 0 to 100' })
const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])
/** Named in the document of the events. */
const model = <T extends TProperties>(title: string, members: T) => Type.Object(members, { title })
const open = (description: string) => Type.Unsafe<object>(Type.Object({}, { description }))

const activitySnapshot = model('ActivitySnapshot', {
  revision: Type.Integer({ description: 'Grows with every change; a lower one is older' }),
  activities: Type.Array(
    Type.Object({
      domain: text,
      key: text,
      aspect: text,
      isActive: flag,
      activeCount: int,
    }),
    { description: 'What is missing here is not active' },
  ),
})
export type ActivitySnapshot = Static<typeof activitySnapshot>

const sessionNotice = model('SessionNotice', {
  sessionId: text,
  sessionType: Type.String({
    description: '`admin`, `user`, `guest`; `unknown` for the end of another session',
  }),
})

const traffic = { totalBytes: bytes, cacheHitBytes: bytes, cacheMissBytes: bytes }

const speeds = model('SpeedSnapshot', {
  timestampUtc: utc,
  totalBytesPerSecond: speed,
  gameSpeeds: Type.Array(
    Type.Object({
      depotId: int,
      gameName: nullable(text),
      gameAppId: nullable(int),
      service: text,
      clientIp: text,
      bytesPerSecond: speed,
      ...traffic,
      requestCount: int,
      cacheHitPercent: percent,
      isEvicted: flag,
    }),
  ),
  clientSpeeds: Type.Array(
    Type.Object({ clientIp: text, bytesPerSecond: speed, ...traffic, activeGames: int }),
  ),
  windowSeconds: int,
  entriesInWindow: int,
  hasActiveDownloads: flag,
})

const status = Type.Unsafe<OperationView['status']>(
  Type.String({
    enum: [
      'pending',
      'running',
      'cancelling',
      'completed',
      'failed',
      'cancelled',
      'waiting',
      'skipped',
    ],
  }),
)
const context = nullable(Type.Record(text, Type.Unknown()))

const operation = model('Operation', {
  id: text,
  type: Type.Unsafe<OperationView['type']>(Type.String({ enum: [...operationTypes] })),
  scope: text,
  name: text,
  nameKey: nullable(text),
  nameContext: Type.Unsafe<OperationView['nameContext']>(context),
  status,
  percentComplete: percent,
  stageKey: nullable(text),
  context,
  message: nullable(text),
  error: nullable(text),
  isSilent: flag,
  createdAt: utc,
  startedAt: nullable(utc),
  finishedAt: nullable(utc),
})

const clock = open('Clock settings')
const serverTime = Type.Object({ serverTime: utc })

/** Payloads of events that have a fixed form; the compiler holds senders to it. */
export const eventPayloads = {
  Welcome: serverTime,
  Pong: serverTime,
  ActivityUpdated: activitySnapshot,
  DownloadSpeedUpdate: speeds,
  DownloadsRefresh: Type.Unsafe<{
    reason?: string
    source?: string
    [member: string]: unknown
  } | null>(nullable(Type.Object({ reason: Type.Optional(text), source: Type.Optional(text) }))),
  HistoryStatusChanged: Type.Object({ state: text, message: nullable(text) }),

  GameImagesUpdated: Type.Object({
    newAlphaImages: int,
    newBetaImages: int,
    newNameKeyedImages: int,
    cacheGeneration: int,
  }),
  RetentionUpdated: Type.Object({
    pending: Type.Integer({ description: 'Games that rules of retention are about to remove' }),
  }),

  OperationUpdated: operation,
  OperationWaiting: Type.Object({
    operationId: text,
    operationType: text,
    name: text,
    blockedByName: nullable(text),
  }),
  OperationWaitingComplete: Type.Object({
    operationId: text,
    operationType: text,
    cancelled: flag,
    error: nullable(text),
    promoted: flag,
  }),

  UserSessionCreated: sessionNotice,
  UserSessionRevoked: sessionNotice,
  UserSessionDeleted: sessionNotice,
  SessionLastSeenUpdated: Type.Object({ sessionId: text, lastSeenAt: utc }),
  UserPreferencesUpdated: Type.Object({ sessionId: text, preferences: open('All preferences') }),
  GuestRefreshRateUpdated: Type.Object({ sessionId: text, refreshRate: nullable(text) }),
  GuestPrefillPermissionChanged: Type.Object({
    sessionId: text,
    service: text,
    enabled: flag,
    prefillExpiresAt: nullable(utc),
  }),
  DirectoryPermissionsChanged: Type.Object({
    timestamp: utc,
    datasources: Type.Array(Type.Object({ name: text, cacheWritable: flag, logsWritable: flag })),
  }),
  DefaultGuestRefreshRateChanged: Type.Object({ refreshRate: text }),
  GuestRefreshRateLockChanged: Type.Object({ locked: flag }),
  AllowedTimeFormatsChanged: Type.Object({
    formats: Type.Unsafe<readonly string[]>(Type.Array(text)),
  }),
  DefaultGuestPreferencesChanged: Type.Union([
    Type.Object({ key: text, value: flag }),
    Type.Object({ key: Type.Literal('clock'), clock, previousClock: clock }),
  ]),
  MetricsSecurityUpdated: Type.Object({
    requiresAuthentication: flag,
    source: Type.Unsafe<'ui' | 'config'>(Type.String({ enum: ['ui', 'config'] })),
    canToggle: flag,
    envVarValue: flag,
  }),
  PrefillDefaultsChanged: open('All defaults of prefill'),
  DefaultGuestThemeChanged: Type.Object({ newThemeId: nullable(text) }),
  GuestModeLockChanged: Type.Object({ isLocked: flag }),
  GuestDurationUpdated: Type.Object({ durationHours: int }),

  EventDeleted: Type.Integer({ description: 'Id of the event' }),
  DownloadTagged: Type.Object({ eventId: int, downloadId: int }),
  ClientGroupDeleted: Type.Integer({ description: 'Id of the group' }),
}

type EventPayloads = { [E in keyof typeof eventPayloads]: Static<(typeof eventPayloads)[E]> }

/** The payload of an event: its fixed form if it has one. */
export type PayloadOf<E extends string> = E extends keyof EventPayloads ? EventPayloads[E] : unknown

const shared = {
  operationId: text,
  message: nullable(text),
  stageKey: text,
  context,
}
const showNotification = Type.Optional(flag)

/** What events of long jobs have in common; each kind of job adds members of its own. */
export const jobPayloads = {
  Started: model('JobStarted', { ...shared, timestamp: nullable(utc), showNotification }),
  Progress: model('JobProgress', { ...shared, status, percentComplete: percent }),
  Complete: model('JobComplete', {
    ...shared,
    timestamp: nullable(utc),
    success: flag,
    status,
    cancelled: flag,
    error: nullable(text),
    showNotification,
  }),
}
