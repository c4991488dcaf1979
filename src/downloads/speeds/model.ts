import { Type, type Static } from '@sinclair/typebox'
import { Int, Model, Num, Utc } from '../../core/http/schema.ts'

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
