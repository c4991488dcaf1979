import { Type, type Static } from '@sinclair/typebox'
import { Bytes, Flag, Int, Model, Nullable, Num, Utc } from '../../core/http/schema.ts'
import { stringUnion } from '../../core/http/string-union.ts'

export const CacheSnapshot = Model('CacheSnapshot', {
  hasData: Flag,
  startUsedSize: Bytes,
  endUsedSize: Bytes,
  averageUsedSize: Bytes,
  totalCacheSize: Bytes,
  snapshotCount: Int,
  isEstimate: Flag,
})
export type CacheSnapshot = Static<typeof CacheSnapshot>

/** Why there is no number of days. */
export const forecastReasons = [
  'tooLittleHistory',
  'notGrowing',
  'beyondForecast',
  'diskUnknown',
] as const

export const CacheForecast = Model('CacheForecast', {
  /** Bytes a day; negative while the cache shrinks; null with too little history. */
  growthBytesPerDay: Nullable(Num),
  /** 0: full. Null: see `reason`. */
  daysUntilFull: Nullable(Num),
  fullAt: Nullable(Utc),
  reason: Nullable(stringUnion(forecastReasons)),
  /** Space left: below the cache's limit and on its disk. */
  roomBytes: Int,
  usedBytes: Int,
  totalBytes: Int,
  /** The snapshots that the growth was computed from. */
  basis: Type.Object({
    snapshots: Int,
    from: Nullable(Utc),
    to: Nullable(Utc),
    days: Num,
  }),
})
export type CacheForecast = Static<typeof CacheForecast>

const HistoryPoint = Type.Object({ takenAt: Utc, usedBytes: Int, totalBytes: Int })

export const CacheHistory = Type.Object({
  items: Type.Array(HistoryPoint),
  /** The points are thinned to one per fixed number of seconds. */
  isThinned: Flag,
  bucketSeconds: Int,
})
export type CacheHistory = Static<typeof CacheHistory>
