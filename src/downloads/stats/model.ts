import { Type, type Static } from '@sinclair/typebox'
import {
  Bytes,
  Flag,
  Int,
  Model,
  Nullable,
  Num,
  Percent,
  Ratio,
  Text,
  Utc,
} from '../../core/http/schema.ts'

export const ServiceStats = Model('ServiceStats', {
  service: Text,
  totalCacheHitBytes: Int,
  totalCacheMissBytes: Int,
  totalBytes: Int,
  cacheHitPercent: Percent,
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
  cacheHitPercent: Percent,
  totalDownloads: Int,
  totalDurationSeconds: Num,
  averageBytesPerSecond: Num,
  failedRequests: Int,
  lastActivityUtc: Utc,
})
export type ClientStats = Static<typeof ClientStats>

export const ClientLines = Model('ClientLines', {
  bucketMinutes: Int,
  /** Start of the first bucket; null without traffic. */
  startTimeUtc: Nullable(Utc),
  /** Bytes per bucket by address; those without traffic are missing. */
  lines: Type.Record(Text, Type.Array(Int)),
})
export type ClientLines = Static<typeof ClientLines>

export const DashboardPeriodStats = Model('DashboardPeriodStats', {
  duration: Text,
  since: Nullable(Utc),
  /** What the bytes are of: the whole buckets that the range touches. Null: open. */
  effectiveStartUtc: Nullable(Utc),
  effectiveEndUtc: Nullable(Utc),
  bandwidthSaved: Bytes,
  addedToCache: Bytes,
  totalServed: Bytes,
  hitRatio: Ratio,
  downloads: Int,
  failedRequests: Int,
})

export const ServiceBreakdownItem = Model('ServiceBreakdownItem', {
  service: Text,
  bytes: Int,
  percentage: Percent,
})

export const DashboardStats = Model('DashboardStats', {
  totalBandwidthSaved: Bytes,
  totalAddedToCache: Bytes,
  totalServed: Bytes,
  cacheHitRatio: Ratio,
  activeDownloads: Int,
  uniqueClients: Int,
  topService: Text,
  period: DashboardPeriodStats,
  serviceBreakdown: Type.Array(ServiceBreakdownItem),
  lastUpdated: Utc,
})
export type DashboardStats = Static<typeof DashboardStats>
