import { Type, type Static, type TSchema } from '@sinclair/typebox'
import { keyedByPlatform } from '../../platforms/platforms.ts'
import type { OperationType } from '../operations/contract.ts'
import { Bandwidth, noLimit } from './bandwidth.ts'
import { ScheduledPrefill, usualScheduledPrefill } from './scheduled-prefill.ts'

interface SettingRule<T extends TSchema> {
  schema: T
  fallback: Static<T>
}

const rule = <T extends TSchema>(schema: T, fallback: Static<T>): SettingRule<T> => ({
  schema,
  fallback,
})

const flag = (fallback: boolean) => rule(Type.Boolean(), fallback)
/** Null stands for `not set`, so the default is null, too. */
const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])
const text = Nullable(Type.String())

/** What guests may prefill by default, and for how long. */
const GuestPrefill = Type.Object({
  enabledByDefault: Type.Boolean(),
  durationHours: Type.Integer({ minimum: 1, maximum: 3 }),
  /** Null: no limit. Only alpha, beta and epsilon have one. */
  maxThreadCount: Nullable(Type.Integer({ minimum: 1, maximum: 256 })),
})
const noGuestPrefill = { enabledByDefault: false, durationHours: 2, maxThreadCount: null }

/** Initial preferences of a new guest session. */
export const GuestPreferences = Type.Object({
  useLocalTimezone: Type.Boolean(),
  useUtcTimezone: Type.Boolean(),
  use24HourFormat: Type.Boolean(),
  sharpCorners: Type.Boolean(),
  disableTooltips: Type.Boolean(),
  showDatasourceLabels: Type.Boolean(),
  allowedTimeFormats: Type.Array(Type.String()),
})

/** Defaults of a prefill; concurrency is `auto`, `max` or a number of threads. */
const PrefillDefaults = Type.Object({
  operatingSystems: Type.Array(Type.String()),
  maxConcurrency: Type.String(),
  betaMaxConcurrency: Type.String(),
})

const CacheLimit = Type.Union([Type.Integer({ minimum: 1 }), Type.Literal('fullDisk')])

/** When games were last detected, and the used bytes of each disk then (datasource -> bytes). */
const LastDetection = Type.Object({
  at: Type.String(),
  usedBytes: Type.Record(Type.String(), Type.Number()),
})

/** A reset of the database that has begun. */
const PendingReset = Type.Object({ tables: Type.Array(Type.String()), isWhole: Type.Boolean() })

/** An import from another instance that did not get to its end, and where it continues. */
const UnfinishedImport = Type.Object({
  /** Hash of the source. */
  key: Type.String(),
  /** Start of the last download that was dealt with, as the source writes it, and how many with it. */
  mark: Type.String(),
  atMark: Type.Integer(),
  totalRecords: Type.Integer(),
  imported: Type.Integer(),
  /** Downloads that were not imported, by reason. */
  reasons: Type.Record(Type.String(), Type.Integer()),
})

/** How names of Steam's depots were last looked for. */
const LastMapping = Type.Object({
  at: Type.String(),
  mode: Type.Union([
    Type.Literal('github'),
    Type.Literal('local'),
    Type.Literal('incremental'),
    Type.Literal('full'),
    Type.Literal('needed'),
  ]),
  outcome: Type.Union([
    Type.Literal('completed'),
    Type.Literal('failed'),
    Type.Literal('cancelled'),
    Type.Literal('skipped'),
  ]),
  error: text,
})

const amount = (maximum: number) => Nullable(Type.Integer({ minimum: 1, maximum }))

/** Policy for log files; maximum values as in the API. Null: disabled. */
const LogRetention = Type.Object({
  isEnabled: Type.Boolean(),
  rotateAboveMib: amount(1_048_576),
  rotateAfterDays: amount(3660),
  compresses: Type.Boolean(),
  keepDays: amount(3660),
  keepGib: amount(1_048_576),
})

const time = Type.Optional(Nullable(Type.String()))

/** What an operator changed of the schedules, by service; see `src/core/schedules`. */
const ScheduleChanges = Type.Record(
  Type.String(),
  Type.Object({
    intervalHours: Type.Optional(Type.Number()),
    runOnStartup: Type.Optional(Type.Boolean()),
    notificationMode: Type.Optional(
      Type.Union([Type.Literal('all'), Type.Literal('manual'), Type.Literal('silent')]),
    ),
    displayMode: Type.Optional(Type.Union([Type.Literal('full'), Type.Literal('condensed')])),
    customSchedule: Type.Optional(
      Nullable(
        Type.Object({
          expression: Type.String(),
          timeZoneId: Type.String(),
          windowStart: time,
          windowEnd: time,
        }),
      ),
    ),
  }),
)

/** What is notified; see `src/system/notifications`. Job types as text, so that old ones stay valid. */
const NotificationRules = Type.Object({
  failedJobs: Nullable(Type.Array(Type.Unsafe<OperationType>(Type.String()))),
  finishedJobs: Type.Array(Type.Unsafe<OperationType>(Type.String())),
  diskDays: amount(365),
  corruption: Type.Boolean(),
  signIns: Type.Boolean(),
  service: Type.Boolean(),
  dns: Type.Boolean(),
})

/** `HH:mm` in a zone. */
const QuietHours = Type.Object({
  start: Type.String(),
  end: Type.String(),
  timeZoneId: Type.String(),
})

/** Broker of MQTT; its password is sealed. */
const MqttBroker = Type.Object({
  isEnabled: Type.Boolean(),
  url: Type.String(),
  user: text,
  prefix: Type.String(),
})

/** Every setting of the dashboard and the API, with its form and its default. */
export const settingRules = {
  /** Created once; the history records which installation's positions it holds. */
  'installation.id': rule(text, null),
  'setup.isCompleted': flag(false),
  /** Stays true when the owner reopens the set-up. */
  'setup.wasCompleted': flag(false),
  'setup.currentStep': rule(text, null),
  'setup.dataSourceChoice': rule(text, null),
  'setup.completedPlatforms': rule(text, null),
  'cache.deleteMode': rule(
    Type.Union([Type.Literal('preserve'), Type.Literal('full'), Type.Literal('rsync')]),
    'preserve',
  ),
  /** Size limits of caches by the lower-case name of their datasource: bytes, or the whole disk. */
  'cache.sizes': rule(Type.Record(Type.String(), CacheLimit), {}),
  'detection.last': rule(Nullable(LastDetection), null),
  /** Scheduled snapshots that are kept. */
  'backup.keep': rule(Type.Integer({ minimum: 1, maximum: 365 }), 7),
  /** Tables of a reset that has begun: a restart continues it. */
  'database.pendingReset': rule(Nullable(PendingReset), null),
  'migration.unfinished': rule(Nullable(UnfinishedImport), null),
  'eviction.mode': rule(
    Type.Union([
      Type.Literal('show'),
      Type.Literal('hide'),
      Type.Literal('showClean'),
      Type.Literal('remove'),
    ]),
    'show',
  ),
  'eviction.prunesOrphans': flag(false),
  'retention.undoHours': rule(Type.Number({ minimum: 0, maximum: 720 }), 24),
  'retention.sparedDays': rule(Type.Integer({ minimum: 1, maximum: 3660 }), 30),
  'alpha.authMode': rule(
    Nullable(Type.Union([Type.Literal('anonymous'), Type.Literal('authenticated')])),
    null,
  ),
  /** `github`: a ready-made list; otherwise a crawl of Steam's product information. */
  'depots.crawlMode': rule(
    Type.Union([Type.Literal('github'), Type.Literal('incremental'), Type.Literal('full')]),
    'github',
  ),
  /** 0: never by the clock. */
  'depots.crawlIntervalHours': rule(Type.Number({ minimum: 0, maximum: 8760 }), 1),
  /** At least one run read mappings. */
  'depots.isLoaded': flag(false),
  'depots.lastRun': rule(Nullable(LastMapping), null),
  /** Tells sessions of one Steam account apart; created with the first one. */
  'alpha.logonId': rule(amount(65_535), null),
  /** 0: never by the clock. */
  'beta.intervalHours': rule(Type.Number({ minimum: 0, maximum: 8760 }), 12),
  /** When the mappings were last refreshed, ISO-8601. */
  'beta.lastRefresh': rule(text, null),
  'epsilon.lastRefresh': rule(text, null),
  'clients.hasHostnames': flag(false),
  'clients.showsHostnamesToGuests': flag(false),
  'logs.retention': rule(LogRetention, {
    isEnabled: false,
    rotateAboveMib: null,
    rotateAfterDays: null,
    compresses: false,
    keepDays: null,
    keepGib: null,
  }),
  'guest.isLocked': flag(false),
  'guest.durationHours': rule(Nullable(Type.Integer({ minimum: 1, maximum: 720 })), null),
  'guest.themeId': rule(Type.String(), 'dark-default'),
  'guest.preferences': rule(GuestPreferences, {
    useLocalTimezone: false,
    useUtcTimezone: false,
    use24HourFormat: true,
    sharpCorners: false,
    disableTooltips: false,
    showDatasourceLabels: true,
    allowedTimeFormats: ['server-24h', 'server-12h', 'local-24h', 'local-12h', 'utc'],
  }),
  /** Games that `/metrics` lists. */
  'metrics.gameLimit': rule(Type.Integer({ minimum: 1, maximum: 500 }), 50),
  /** Whether `/metrics` needs the installation key; null: as configured. */
  'metrics.requiresKey': rule(Nullable(Type.Boolean()), null),
  'mqtt.broker': rule(Nullable(MqttBroker), null),
  'memory.collects': flag(false),
  /** Scheduled collections leave a smaller process alone. */
  'memory.thresholdMib': rule(Type.Integer({ minimum: 512, maximum: 32_768 }), 4096),
  'schedules.changes': rule(ScheduleChanges, {}),
  'statusCheck.resolverMode': rule(
    Type.Union([Type.Literal('auto'), Type.Literal('bridge'), Type.Literal('host')]),
    'auto',
  ),
  /** Its form is that of the answer; see src/system/status-check. */
  'statusCheck.lastResult': rule(Nullable(Type.Object({})), null),
  'notifications.rules': rule(NotificationRules, {
    failedJobs: null,
    finishedJobs: [],
    diskDays: 14,
    corruption: true,
    signIns: true,
    service: true,
    dns: true,
  }),
  'notifications.language': rule(Type.Union([Type.Literal('en'), Type.Literal('de')]), 'en'),
  'notifications.quietHours': rule(Nullable(QuietHours), null),
  /** Conditions that were notified and still hold, with the state that was notified. */
  'notifications.conditions': rule(Type.Record(Type.String(), Type.String()), {}),
  'system.refreshRate': rule(Type.String(), 'STANDARD'),
  'guest.refreshRate': rule(Type.String(), 'STANDARD'),
  'guest.isRefreshRateLocked': flag(true),
  'prefill.defaults': rule(PrefillDefaults, {
    operatingSystems: ['windows', 'linux', 'macos'],
    maxConcurrency: 'auto',
    betaMaxConcurrency: 'auto',
  }),
  'prefill.bandwidth': rule(Bandwidth, noLimit),
  'prefill.schedule': rule(ScheduledPrefill, usualScheduledPrefill),
  /** Days until a persistent session has to sign in again. */
  'prefill.validityDays': rule(Type.Integer({ minimum: 1, maximum: 365 }), 90),
  ...keyedByPlatform(
    (platform) => `guest.prefill.${platform}` as const,
    () => rule(GuestPrefill, noGuestPrefill),
  ),
} as const

type Rules = typeof settingRules
export type SettingKey = keyof Rules
export type SettingValue<K extends SettingKey> = Static<Rules[K]['schema']>
