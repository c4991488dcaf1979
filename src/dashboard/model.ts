import { Type, type Static } from '@sinclair/typebox'
import { Flag, Int, Model, Nullable, Num, Text } from '../core/http/schema.ts'
import { CacheInfo, CacheSnapshot, SlimDetection } from '../cache/contract.ts'
import { ClientStats, DashboardStats, Download, ServiceStats } from '../downloads/contract.ts'
import { stringUnion } from '../core/http/string-union.ts'

const UnixTime = Type.Integer({ description: 'Unix time in seconds' })

export const Sparkline = Model('Sparkline', {
  data: Type.Array(Num),
  trend: stringUnion(['up', 'down', 'stable']),
})
export type Sparkline = Static<typeof Sparkline>

export const Sparklines = Model('Sparklines', {
  bandwidthSaved: Sparkline,
  /** 0 to 1. */
  cacheHitRatio: Sparkline,
  totalServed: Sparkline,
  addedToCache: Sparkline,
  period: Text,
  bucketMinutes: Int,
  bucketStarts: Type.Array(UnixTime),
  /** Of each bucket the busiest window of so many minutes. */
  peaks: Type.Object({
    minutes: Int,
    hitBytes: Type.Array(Int),
    missBytes: Type.Array(Int),
  }),
})
export type Sparklines = Static<typeof Sparklines>

export const HourActivity = Model('HourActivity', {
  hour: Int,
  downloads: Int,
  avgDownloads: Num,
  bytesServed: Int,
  avgBytesServed: Int,
  cacheHitBytes: Int,
  cacheMissBytes: Int,
})
export type HourActivity = Static<typeof HourActivity>

export const HourlyActivity = Model('HourlyActivity', {
  hours: Type.Array(HourActivity),
  peakHour: Int,
  totalDownloads: Int,
  totalBytesServed: Int,
  daysInPeriod: Int,
  periodStart: Nullable(UnixTime),
  periodEnd: Nullable(UnixTime),
  period: Text,
  timeZone: Text,
})
export type HourlyActivity = Static<typeof HourlyActivity>

export const sectionNames = [
  'cache',
  'clients',
  'services',
  'dashboard',
  'downloads',
  'detection',
  'sparklines',
  'hourlyActivity',
  'cacheSnapshot',
] as const
export type SectionName = (typeof sectionNames)[number]

export const DashboardBatch = Model('DashboardBatch', {
  cache: CacheInfo,
  /** `total` counts all clients of the period, `items` lists those with the most bytes. */
  clients: Type.Object({ items: Type.Array(ClientStats), total: Int }),
  services: Type.Object({ items: Type.Array(ServiceStats) }),
  dashboard: DashboardStats,
  /** The newest downloads; for all see `/api/downloads/retro`. */
  downloads: Type.Object({ items: Type.Array(Download), isTruncated: Flag }),
  detection: SlimDetection,
  sparklines: Sparklines,
  hourlyActivity: HourlyActivity,
  cacheSnapshot: CacheSnapshot,
  /** Sections that could not be computed; present but empty. */
  failedSections: Type.Array(stringUnion(sectionNames)),
})
export type DashboardBatch = Static<typeof DashboardBatch>
