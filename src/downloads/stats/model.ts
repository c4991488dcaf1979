import { Type, type Static } from '@sinclair/typebox'
import { Flag, Int, Model, Nullable, Num, Text, Utc } from '../../core/http/schema.ts'

export const ServiceStats = Model('ServiceStats', {
  service: Text,
  totalCacheHitBytes: Int,
  totalCacheMissBytes: Int,
  totalBytes: Int,
  cacheHitPercent: Num,
  totalDownloads: Int,
  totalRequests: Int,
  /** Answered with another status than 200 and 206; in no other figure. */
  failedRequests: Int,
  lastActivityUtc: Utc,
})
export type ServiceStats = Static<typeof ServiceStats>

export const ClientStats = Model('ClientStats', {
  clientIp: Text,
  displayName: Nullable(Text),
  groupId: Nullable(Int),
  isGrouped: Flag,
  groupMemberIps: Nullable(Type.Array(Text)),
  totalCacheHitBytes: Int,
  totalCacheMissBytes: Int,
  totalBytes: Int,
  cacheHitPercent: Num,
  totalDownloads: Int,
  totalDurationSeconds: Num,
  averageBytesPerSecond: Num,
  failedRequests: Int,
  lastActivityUtc: Utc,
})
export type ClientStats = Static<typeof ClientStats>

export const DashboardPeriodStats = Model('DashboardPeriodStats', {
  duration: Text,
  since: Nullable(Utc),
  /** What the bytes are of: the whole buckets that the range touches. Null: open. */
  effectiveStartUtc: Nullable(Utc),
  effectiveEndUtc: Nullable(Utc),
  bandwidthSaved: Int,
  addedToCache: Int,
  totalServed: Int,
  /** 0 to 1. */
  hitRatio: Num,
  downloads: Int,
  failedRequests: Int,
})

export const ServiceBreakdownItem = Model('ServiceBreakdownItem', {
  service: Text,
  bytes: Int,
  percentage: Num,
})

export const DashboardStats = Model('DashboardStats', {
  totalBandwidthSaved: Int,
  totalAddedToCache: Int,
  totalServed: Int,
  /** 0 to 1. */
  cacheHitRatio: Num,
  activeDownloads: Int,
  uniqueClients: Int,
  topService: Text,
  period: DashboardPeriodStats,
  serviceBreakdown: Type.Array(ServiceBreakdownItem),
  lastUpdated: Utc,
})
export type DashboardStats = Static<typeof DashboardStats>
