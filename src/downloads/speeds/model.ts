import { Type, type Static } from '@sinclair/typebox'
import { Flag, Int, Model, Nullable, Num, Percent, Text, Utc } from '../../core/http/schema.ts'

export const GameSpeedInfo = Model('GameSpeedInfo', {
  depotId: Int,
  gameName: Nullable(Text),
  gameAppId: Nullable(Int),
  betaAppId: Nullable(Text),
  service: Text,
  clientIp: Text,
  bytesPerSecond: Num,
  totalBytes: Int,
  requestCount: Int,
  cacheHitBytes: Int,
  cacheMissBytes: Int,
  cacheHitPercent: Percent,
  isEvicted: Flag,
})

export const ClientSpeedInfo = Model('ClientSpeedInfo', {
  clientIp: Text,
  bytesPerSecond: Num,
  totalBytes: Int,
  activeGames: Int,
  cacheHitBytes: Int,
  cacheMissBytes: Int,
})

export const CurrentSpeeds = Model('CurrentSpeeds', {
  timestampUtc: Utc,
  totalBytesPerSecond: Num,
  gameSpeeds: Type.Array(GameSpeedInfo),
  clientSpeeds: Type.Array(ClientSpeedInfo),
  windowSeconds: Int,
  entriesInWindow: Int,
  hasActiveDownloads: Flag,
})

export const SpeedSample = Model('SpeedSample', {
  /** Unix seconds. */
  at: Num,
  /** Bytes per second. */
  cached: Num,
  fetched: Num,
})
export type SpeedSample = Static<typeof SpeedSample>

export const RecentSpeedSamples = Model('RecentSpeedSamples', { items: Type.Array(SpeedSample) })

export const SpeedHistory = Model('SpeedHistory', {
  periodStartUtc: Utc,
  periodEndUtc: Utc,
  periodMinutes: Int,
  totalBytes: Int,
  averageBytesPerSecond: Num,
  totalSessions: Int,
})
