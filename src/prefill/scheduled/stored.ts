import { Type, type Static } from '@sinclair/typebox'
import { Nullable, stringUnion } from '../../core/lib/schema.ts'
import { CustomSchedule, NotificationMode } from '../../core/settings/schedule-settings.ts'
import {
  hasAccounts,
  perPlatform,
  platformFacts,
  scheduledOrder,
  type Platform,
} from '../../platforms/platforms.ts'

export const CacheName = Nullable(
  Type.String({ maxLength: 100 }),
  'Node whose cache is filled; null: the cache of the service',
)

/** What happens to a persistent daemon and its sign-in when the service restarts. */
export const PersistenceMode = stringUnion([
  'killOnRestart',
  'keepAcrossRestart',
  'fullPersistence',
])
export type PersistenceMode = Static<typeof PersistenceMode>

/** Scheduled prefill of one platform, as in the API. */
export const ScheduledService = Type.Object({
  serviceId: Type.String(),
  enabled: Type.Boolean(),
  showNotification: Type.Boolean(),
  notificationMode: NotificationMode,
  /** -1: once after the start of the service; 0: paused. */
  intervalHours: Type.Number(),
  preset: stringUnion(['All', 'Recent', 'Top']),
  topCount: Nullable(Type.Integer()),
  /** Takes precedence over the preset. */
  selectedAppIds: Type.Array(Type.String()),
  operatingSystems: Type.Array(stringUnion(['Windows', 'Linux', 'Macos'])),
  force: Type.Boolean(),
  maxConcurrency: Type.Object({
    mode: stringUnion(['Auto', 'Fixed']),
    value: Nullable(Type.Integer()),
  }),
  /** Null: the one of the whole configuration. */
  persistenceMode: Nullable(PersistenceMode),
  customSchedule: Nullable(Type.Object(CustomSchedule.properties)),
  /** Absent: the cache of the service. */
  cache: Type.Optional(CacheName),
})
export type ScheduledService = Static<typeof ScheduledService>

/** Durations as `[d.]hh:mm:ss`. */
export const ScheduledPrefill = Type.Object({
  version: Type.Literal(5),
  maxServiceRuntime: Type.String(),
  stallTimeout: Type.String(),
  persistenceMode: PersistenceMode,
  ...perPlatform(() => ScheduledService, scheduledOrder),
})
export type ScheduledPrefill = Static<typeof ScheduledPrefill>

const usual = (platform: Platform): ScheduledService => ({
  serviceId: platformFacts[platform].name,
  // Without a sign-in nothing has to be prepared.
  enabled: !hasAccounts(platform),
  showNotification: true,
  notificationMode: 'all',
  intervalHours: 24,
  preset: 'All',
  topCount: null,
  selectedAppIds: [],
  operatingSystems: platformFacts[platform].hasSystems ? ['Windows'] : [],
  force: false,
  maxConcurrency: { mode: 'Auto', value: null },
  persistenceMode: null,
  customSchedule: null,
})

export const usualScheduledPrefill: ScheduledPrefill = {
  version: 5,
  maxServiceRuntime: '12:00:00',
  stallTimeout: '00:30:00',
  persistenceMode: 'keepAcrossRestart',
  ...perPlatform(usual, scheduledOrder),
}
