/**
 * `session`: the session named by `sessionId` in the payload, and account holders. The other two
 * are as in the hub's contract.
 */
type Reach = 'everyone' | 'accounts' | 'session'

/** Who receives an event and what a guest sees of it. */
export interface EventRule {
  readonly reach: Reach
  /** A newer one replaces an older one that a slow client has not received yet. */
  readonly isLatestOnly?: boolean
  /** What guests receive instead of the payload. */
  readonly forGuests?: (data: unknown) => unknown
}

const everyone: EventRule = { reach: 'everyone' }
const accounts: EventRule = { reach: 'accounts' }
const session: EventRule = { reach: 'session' }

const membersOf = (data: unknown): Record<string, unknown> =>
  // Payloads are plain objects or null; anything else has no members.
  typeof data === 'object' && data !== null ? (data as Record<string, unknown>) : {}

/** Guests see that a download is active, not who is signed in or which operations run. */
function activityForGuests(data: unknown): unknown {
  const { revision, activities } = membersOf(data)
  const list = Array.isArray(activities) ? activities : []
  return {
    revision: revision ?? 0,
    activities: list.filter((entry) => membersOf(entry).domain === 'download'),
  }
}

/** Guests get only the reason to reload; counts and run ids are for account holders. */
function refreshForGuests(data: unknown): unknown {
  const { reason, source } = membersOf(data)
  if (reason !== undefined) return { reason }
  return source === undefined ? null : { source }
}

const withoutMessage = (data: unknown): unknown => ({ ...membersOf(data), message: null })

/** Jobs that send `<prefix>Started`, `<prefix>Progress` and `<prefix>Complete`. */
const jobPrefixes = [
  'LogProcessing',
  'LogRemoval',
  'DatabaseReset',
  'DataImport',
  'CacheClearing',
  'CacheSizeScan',
  'ServiceRemoval',
  'GameRemoval',
  'CorruptionRemoval',
  'CorruptionDetection',
  'GameDetection',
  'EvictionScan',
  'EvictionRemoval',
  'DepotMapping',
  'BetaMapping',
  'GammaMapping',
  'DeltaMapping',
  'EpsilonMapping',
  'LogRotation',
  'GameImageFetch',
  'CacheSnapshot',
  'OperationHistoryCleanup',
  'PerformanceOptimization',
  'DashboardCacheWarmer',
] as const
const jobEndings = ['Started', 'Progress', 'Complete'] as const

/** Prefixes of the prefill daemons' events; alpha has none. The sender names the session. */
const platformPrefixes = ['', 'Beta', 'Gamma', 'Delta', 'Epsilon'] as const
const platformEvents = [
  'DaemonSessionCreated',
  'DaemonSessionUpdated',
  'DaemonSessionTerminated',
  'AuthStateChanged',
  'CredentialChallenge',
  'StatusChanged',
  'PrefillStateChanged',
  'PrefillProgress',
  'PrefillHistoryUpdated',
  'SessionEnded',
] as const

const named = {
  // The connection itself
  Welcome: everyone,
  Pong: everyone,

  // Figures and lists that guests may read, too
  ActivityUpdated: { reach: 'everyone', isLatestOnly: true, forGuests: activityForGuests },
  DownloadSpeedUpdate: { reach: 'everyone', isLatestOnly: true },
  DownloadsRefresh: { reach: 'everyone', forGuests: refreshForGuests },
  HistoryStatusChanged: { reach: 'everyone', forGuests: withoutMessage },
  GameImagesUpdated: everyone,
  ClientHostnamesChanged: everyone,
  EventCreated: everyone,
  EventUpdated: everyone,
  EventDeleted: everyone,
  EventsCleared: everyone,
  DownloadTagged: everyone,

  // Permissions and settings of guest sessions
  DefaultGuestRefreshRateChanged: everyone,
  GuestRefreshRateLockChanged: everyone,
  AllowedTimeFormatsChanged: everyone,
  DefaultGuestPreferencesChanged: everyone,
  DefaultGuestThemeChanged: everyone,
  GuestModeLockChanged: everyone,
  GuestDurationUpdated: everyone,
  UserPreferencesReset: everyone,
  PrefillDefaultsChanged: everyone,

  // One session
  UserPreferencesUpdated: session,
  GuestRefreshRateUpdated: session,
  GuestPrefillPermissionChanged: session,
  UserSessionRevoked: session,
  UserSessionDeleted: session,

  // Sessions of others, operations, configuration
  UserSessionCreated: accounts,
  UserSessionsCleared: accounts,
  SessionLastSeenUpdated: accounts,
  OperationUpdated: accounts,
  OperationWaiting: accounts,
  OperationWaitingComplete: accounts,
  CacheScanComplete: accounts,
  ServiceCountsChanged: accounts,
  ClientGroupCreated: accounts,
  ClientGroupUpdated: accounts,
  ClientGroupDeleted: accounts,
  ClientGroupsCleared: accounts,
  BetaGameMappingsUpdated: accounts,
  EpsilonGameMappingsUpdated: accounts,
  EpsilonMappingAuthStateChanged: accounts,
  AlphaSessionError: accounts,
  AlphaAutoLogout: accounts,
  AutomaticScanSkipped: accounts,
  ScheduledPrefillStarted: accounts,
  ScheduledPrefillProgress: accounts,
  ScheduledPrefillCompleted: accounts,
  SchedulesUpdated: accounts,
  RetentionUpdated: accounts,
  DirectoryPermissionsChanged: accounts,
  StatusCheckProgress: accounts,
  StatusCheckComplete: accounts,
  CacheDomainsRefreshed: accounts,
  MetricsSecurityUpdated: accounts,
  SessionSubscribed: accounts,
} satisfies Readonly<Record<string, EventRule>>

type Platform = (typeof platformPrefixes)[number]
/** Names of the catalogue. */
export type EventName =
  | keyof typeof named
  | `${(typeof jobPrefixes)[number]}${(typeof jobEndings)[number]}`
  | `${Platform}${'GuestPrefillConfigChanged' | (typeof platformEvents)[number]}`

const compose = (prefixes: readonly string[], endings: readonly string[], rule: EventRule) =>
  prefixes.flatMap((prefix) => endings.map((ending) => [`${prefix}${ending}`, rule] as const))

type JobEnding = (typeof jobEndings)[number]

/** Which of the three events of a long job this is; null for all others. */
export const jobEndingOf = (event: string): JobEnding | null =>
  jobEndings.find((ending) => jobPrefixes.some((prefix) => event === `${prefix}${ending}`)) ?? null

/** Every event of the service. One that is missing here reaches account holders only. */
export const eventRules: ReadonlyMap<string, EventRule> = new Map<string, EventRule>([
  ...Object.entries(named),
  ...compose(platformPrefixes, ['GuestPrefillConfigChanged'], everyone),
  ...compose(jobPrefixes, jobEndings, accounts),
  ...compose(platformPrefixes, platformEvents, accounts),
])
