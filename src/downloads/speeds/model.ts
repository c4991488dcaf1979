import { Type, type Static } from '@sinclair/typebox'
import { Flag, Int, Nullable, Num, Text, Utc } from '../../core/http/schema.ts'

export const GameSpeedInfo = Type.Object({
  depotId: Int,
  gameName: Nullable(Text),
  gameAppId: Nullable(Int),
  service: Text,
  clientIp: Text,
  bytesPerSecond: Num,
  totalBytes: Int,
  requestCount: Int,
  cacheHitBytes: Int,
  cacheMissBytes: Int,
  cacheHitPercent: Num,
  isEvicted: Flag,
})

export const ClientSpeedInfo = Type.Object({
  clientIp: Text,
  bytesPerSecond: Num,
  totalBytes: Int,
  activeGames: Int,
  cacheHitBytes: Int,
  cacheMissBytes: Int,
})

export const CurrentSpeeds = Type.Object({
  timestampUtc: Utc,
  totalBytesPerSecond: Num,
  gameSpeeds: Type.Array(GameSpeedInfo),
  clientSpeeds: Type.Array(ClientSpeedInfo),
  windowSeconds: Int,
  entriesInWindow: Int,
  hasActiveDownloads: Flag,
})

export const SpeedSample = Type.Object({
  /** Unix seconds. */
  at: Num,
  /** Bytes per second. */
  cached: Num,
  fetched: Num,
})
export type SpeedSample = Static<typeof SpeedSample>

export const RecentSpeedSamples = Type.Object({ items: Type.Array(SpeedSample) })

export const SpeedHistory = Type.Object({
  periodStartUtc: Utc,
  periodEndUtc: Utc,
  periodMinutes: Int,
  totalBytes: Int,
  averageBytesPerSecond: Num,
  totalSessions: Int,
})
