import { jobPrefixes, type JobPrefix } from '../operations/contract.ts'
import {
  platformFacts,
  platforms,
  type Platform,
  type PlatformFacts,
} from '../../platforms/platforms.ts'
import { platformPayloads, type PlatformEvent } from './prefill-payloads.ts'

/**
 * `session`: the session named by `sessionId` in the payload, and account holders. The other two
 * are as in the hub's contract.
 */
type Reach = 'everyone' | 'accounts' | 'session'

/** Guests, accounts, and those from whom nothing is hidden: the owner, or all without accounts. */
export type Viewer = 'guest' | 'account' | 'owner'

/** Who receives an event and what they see of it. */
export interface EventRule {
  readonly reach: Reach
  /** A newer one replaces an older one that a slow client has not received yet. */
  readonly isLatestOnly?: boolean
  /** What a viewer receives instead of the payload. */
  readonly seenBy?: (viewer: Viewer, data: unknown) => unknown
}

const everyone: EventRule = { reach: 'everyone' }
const accounts: EventRule = { reach: 'accounts' }
const session: EventRule = { reach: 'session' }

const membersOf = (data: unknown): Record<string, unknown> =>
  // Payloads are plain objects or null; anything else has no members.
  typeof data === 'object' && data !== null ? (data as Record<string, unknown>) : {}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/**
 * Guests see that a download is active, not who is signed in or which operations run; what the
 * owner's sessions do is hidden from other accounts.
 */
function activityFor(viewer: Viewer, data: unknown): unknown {
  const { revision = 0, activities, ofOwner } = membersOf(data)
  const all = listOf(activities)
  if (viewer === 'owner') return { revision, activities: [...all, ...listOf(ofOwner)] }
  if (viewer === 'account') return { revision, activities: all }
  return { revision, activities: all.filter((entry) => membersOf(entry).domain === 'download') }
}

/** Only guests receive less than the payload. */
const lessForGuests =
  (reduce: (data: unknown) => unknown): EventRule['seenBy'] =>
  (viewer, data) =>
    viewer === 'guest' ? reduce(data) : data

/** Guests get only the reason to reload; counts and run ids are for account holders. */
function refreshForGuests(data: unknown): unknown {
  const { reason, source } = membersOf(data)
  if (reason !== undefined) return { reason }
  return source === undefined ? null : { source }
}

const withoutMessage = (data: unknown): unknown => ({ ...membersOf(data), message: null })

export const jobEndings = ['Started', 'Progress', 'Complete'] as const
export type JobEnding = (typeof jobEndings)[number]

export type PlatformPrefix = PlatformFacts['eventPrefix']
/** An event of prefill under the name that a platform gives it. */
export const platformEvent = <E extends string>(
  platform: Platform,
  event: E,
): `${PlatformPrefix}${E}` => `${platformFacts[platform].eventPrefix}${event}`

// Every payload has a name of the list.
export const platformEvents = Object.keys(platformPayloads) as PlatformEvent[]

const named = {
  // The connection itself
  Welcome: everyone,
  Pong: everyone,

  // Figures and lists that guests may read, too
  ActivityUpdated: { reach: 'everyone', isLatestOnly: true, seenBy: activityFor },
  DownloadSpeedUpdate: { reach: 'everyone', isLatestOnly: true },
  DownloadsRefresh: { reach: 'everyone', seenBy: lessForGuests(refreshForGuests) },
  HistoryStatusChanged: { reach: 'everyone', seenBy: lessForGuests(withoutMessage) },
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

/** Names of the catalogue. */
export type EventName =
  | keyof typeof named
  | `${JobPrefix}${JobEnding}`
  | `${PlatformPrefix}${'GuestPrefillConfigChanged' | PlatformEvent}`

/** The names of several events with their rule, or with their schema. */
export const compose = <P extends string, E extends string, T>(
  prefixes: readonly P[],
  endings: readonly E[],
  of: (ending: E) => T,
): [`${P}${E}`, T][] =>
  prefixes.flatMap((prefix) =>
    endings.map((ending): [`${P}${E}`, T] => [`${prefix}${ending}`, of(ending)]),
  )

export const platformPrefixes = platforms.map((one) => platformFacts[one].eventPrefix)

/** Every event of the service. */
export const eventRules: ReadonlyMap<string, EventRule> = new Map<EventName, EventRule>([
  // The keys of this object are names.
  ...(Object.entries(named) as [keyof typeof named, EventRule][]),
  ...compose(platformPrefixes, ['GuestPrefillConfigChanged'], () => everyone),
  ...compose(jobPrefixes, jobEndings, () => accounts),
  ...compose(platformPrefixes, platformEvents, () => accounts),
])
