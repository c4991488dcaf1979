import { matchQuery, type Query, type QueryClient } from '@tanstack/react-query'
import type { EventName, PayloadOf } from '../../core/live/events.ts'
import { keys } from '../api/client.ts'

type Roots = readonly (readonly string[])[]

const cache: Roots = [keys.cache]
/** The overview shows cache contents too. */
const content: Roots = [keys.cache, keys.batch]
const groups: Roots = [keys.clientGroups, keys.devices, keys.batch, keys.clients]
const sessions: Roots = [keys.sessions]
const guests: Roots = [keys.guests]
const events: Roots = [keys.events]

/** Queries that an event makes stale, by their roots. */
const staleAfter: { readonly [Event in EventName]?: Roots } = {
  CacheClearingComplete: content,
  CacheClearingStarted: cache,
  CacheScanComplete: content,
  CacheSizeScanComplete: content,
  CacheSizeScanStarted: cache,
  CacheSnapshotComplete: content,
  CacheSnapshotStarted: cache,
  CorruptionRemovalComplete: content,
  CorruptionRemovalStarted: cache,
  EvictionRemovalComplete: content,
  EvictionRemovalStarted: cache,
  EvictionScanComplete: content,
  EvictionScanStarted: cache,
  GameDetectionComplete: content,
  GameDetectionStarted: cache,
  GameRemovalComplete: content,
  GameRemovalStarted: cache,
  ServiceRemovalComplete: content,
  ServiceRemovalStarted: cache,
  PrefillDefaultsChanged: [keys.prefill],
  PrefillReadyChanged: [keys.prefill],
  LaterRemovalsChanged: cache,
  RetentionUpdated: cache,
  StatusCheckComplete: [keys.statusCheck, keys.operations],
  CacheDomainsRefreshed: [keys.statusCheck],
  MetricsSecurityUpdated: [keys.metrics],
  PrefillAccountsUpdated: [keys.prefill],
  ScheduledPrefillCompleted: [keys.prefill],
  ScheduledPrefillStarted: [keys.prefill],
  SchedulesUpdated: [keys.schedules, keys.prefill, [...keys.cache, 'eviction']],
  DirectoryPermissionsChanged: [keys.cache, keys.config],
  GameImagesUpdated: [keys.images],
  HistoryStatusChanged: [keys.service],
  NodesChanged: [keys.nodes, keys.service, keys.config, ...content],

  AlphaAutoLogout: [keys.alphaAuth, keys.depots],
  AutomaticScanSkipped: [keys.depots],
  DepotMappingComplete: [keys.depots, ...content],
  DepotMappingStarted: [keys.depots],
  DepotMappingProgress: [keys.depots],
  BetaMappingComplete: [keys.betaMappings, ...content],
  BetaMappingStarted: [keys.betaMappings],
  EpsilonMappingAuthStateChanged: [keys.epsilonMappings, keys.operations],
  EpsilonMappingComplete: [keys.epsilonMappings, ...content],
  EpsilonMappingStarted: [keys.epsilonMappings],

  ClientDevicesChanged: [keys.devices],
  ClientGroupCreated: groups,
  ClientGroupDeleted: groups,
  ClientGroupUpdated: groups,
  ClientGroupsCleared: groups,
  ClientHostnamesChanged: [keys.hostnames, keys.devices, keys.batch, keys.clients],

  GuestPrefillPermissionChanged: sessions,
  UserSessionCreated: sessions,
  UserSessionDeleted: sessions,
  UserSessionRevoked: sessions,
  UserSessionsCleared: sessions,
  GuestRefreshRateUpdated: [keys.preferences],
  UserPreferencesReset: [keys.preferences],

  AllowedTimeFormatsChanged: guests,
  BetaGuestPrefillConfigChanged: guests,
  DefaultGuestPreferencesChanged: guests,
  DefaultGuestRefreshRateChanged: guests,
  DefaultGuestThemeChanged: guests,
  DeltaGuestPrefillConfigChanged: guests,
  EpsilonGuestPrefillConfigChanged: guests,
  GammaGuestPrefillConfigChanged: guests,
  GuestDurationUpdated: guests,
  GuestModeLockChanged: guests,
  GuestPrefillConfigChanged: guests,
  GuestRefreshRateLockChanged: guests,

  DownloadTagged: events,
  EventCreated: events,
  EventDeleted: events,
  EventUpdated: events,
  EventsCleared: events,
}

/** Queries that a downloads refresh makes stale besides reports, by its reason. */
const staleAfterRefresh: Readonly<Record<string, Roots>> = {
  'exclusions-updated': [keys.exclusions],
  'eviction-mode': cache,
  'eviction-removal': cache,
  'eviction-reset': cache,
  'eviction-scan': cache,
  'title-named': cache,
}

/** Everything that an event can make stale, and the state of the service and its operations. */
const mayBeStale = [
  keys.service,
  keys.operations,
  ...[staleAfter, staleAfterRefresh].flatMap((after) => Object.values(after).flat()),
]

/**
 * Refetches what was read before the socket was open, each query once: the events of that time are lost.
 * An answer that is on its way may be of before as well; it is refetched when it is there.
 */
export function refreshMissed(queries: QueryClient, further: Roots = []): void {
  const roots = [...mayBeStale, ...further]
  const predicate = (query: Query) => roots.some((queryKey) => matchQuery({ queryKey }, query))
  for (const query of queries.getQueryCache().findAll({ predicate })) {
    const refetch = () => queries.invalidateQueries({ queryKey: query.queryKey, exact: true })
    if (query.state.data !== undefined) void refetch()
    else if (query.state.fetchStatus === 'fetching') void query.promise?.then(refetch, () => {})
  }
}

/** Events after which reports are refreshed, at the user's refresh rate. */
const reporting: ReadonlySet<string> = new Set<EventName>([
  'DownloadsRefresh',
  'HistoryStatusChanged',
  'LogProcessingComplete',
])

/** Refetches stale queries after an event. */
export function refreshAfter(
  queries: QueryClient,
  { event, data }: { event: EventName; data: unknown },
  refreshReports: () => void,
): void {
  // The frame comes from our own service; its type is in the event catalogue.
  const { reason = '' } =
    (event === 'DownloadsRefresh' ? (data as PayloadOf<'DownloadsRefresh'>) : null) ?? {}
  const roots = [...(staleAfter[event] ?? []), ...(staleAfterRefresh[reason] ?? [])]
  for (const queryKey of roots) void queries.invalidateQueries({ queryKey })
  if (reporting.has(event)) refreshReports()
}
