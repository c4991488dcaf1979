import { Type, type Static } from '@sinclair/typebox'
import { Flag, Int, Model, Nullable, Num, Percent, Text, Utc } from '../../core/http/schema.ts'
import { stringUnion } from '../../core/http/string-union.ts'

export const BetaGameMapping = Model('BetaGameMapping', {
  appId: Text,
  name: Text,
  discoveredAtUtc: Utc,
  lastSeenAtUtc: Utc,
  source: Type.String({
    description: 'mapping-login, scheduled-refresh, free-games or system (built in)',
  }),
  imageUrl: Nullable(Text),
})
export type BetaGameMapping = Static<typeof BetaGameMapping>

export const BetaMappingStats = Model('BetaMappingStats', {
  totalGames: Int,
  lastUpdatedUtc: Nullable(Utc),
  oldestGameUtc: Nullable(Utc),
  distinctSources: Int,
  cdnPatterns: Int,
})

export const BetaAuthStatus = Model('BetaMappingAuthStatus', {
  isAuthenticated: Flag,
  displayName: Nullable(Text),
  lastCollectionUtc: Nullable(Utc),
  gamesDiscovered: Int,
})

export const BetaLoginStarted = Type.Object({ authorizationUrl: Text })

export const BetaLoginBody = Type.Object({
  authorizationCode: Type.Optional(Nullable(Type.String({ maxLength: 500 }))),
})

export const BetaLoginDone = Type.Object({
  message: Text,
  displayName: Nullable(Text),
  gamesDiscovered: Int,
})

export const BetaSchedule = Model('BetaMappingSchedule', {
  refreshIntervalHours: Num,
  isProcessing: Flag,
  lastRefreshTime: Nullable(Utc),
  /** Seconds; 0: never. */
  nextRefreshIn: Num,
  isAuthenticated: Flag,
  operationId: Nullable(Text),
  status: stringUnion(['Idle', 'Authenticating', 'RefreshingCatalog', 'Completed', 'Error']),
  progressPercent: Percent,
  statusMessage: Nullable(Text),
  showNotification: Flag,
})
export type BetaSchedule = Static<typeof BetaSchedule>

export const IntervalChanged = Type.Object({ intervalHours: Num, message: Text })
export const RefreshCancelled = Type.Object({ cancelled: Flag, message: Text })
