import type { CacheInfo, SpaceLeft } from '../info/model.ts'
import { growthOf, type Growth, type SizePoint } from './growth.ts'
import type { CacheForecast } from './model.ts'

const dayMs = 86_400_000
/** Longer forecasts would be fortune-telling. */
const daysMax = 3650
const at = (seconds: number | undefined) =>
  seconds === undefined ? null : new Date(seconds * 1000).toISOString()

function basisOf(points: SizePoint[]): CacheForecast['basis'] {
  const [first, last] = [points[0]?.at, points.at(-1)?.at]
  const days = ((last ?? 0) - (first ?? 0)) / 86_400
  const rounded = Math.round(days * 100) / 100
  return { snapshots: points.length, from: at(first), to: at(last), days: rounded }
}

type Days = Pick<CacheForecast, 'daysUntilFull' | 'fullAt' | 'reason'>
const noDays = (reason: CacheForecast['reason']): Days => ({
  daysUntilFull: null,
  fullAt: null,
  reason,
})

function daysOf(growth: Growth | null, { roomBytes, isFull }: SpaceLeft, now: Date): Days {
  if (isFull) return { daysUntilFull: 0, fullAt: now.toISOString(), reason: null }
  if (growth === null) return noDays('tooLittleHistory')
  if (growth.bytesPerDay <= 0) return noDays('notGrowing')
  const days = roomBytes / growth.bytesPerDay
  if (days > daysMax) return noDays('beyondForecast')
  const fullAt = new Date(now.getTime() + days * dayMs).toISOString()
  return { daysUntilFull: Math.round(days * 100) / 100, fullAt, reason: null }
}

/** When the cache will be full at the growth of measured sizes. */
export function forecastOf(
  points: SizePoint[],
  { space }: Pick<CacheInfo, 'space'>,
  now: Date,
): CacheForecast {
  const growth = growthOf(points)
  const { roomBytes = 0, usedBytes = 0, totalBytes = 0 } = space ?? {}
  return {
    growthBytesPerDay: growth === null ? null : Math.round(growth.bytesPerDay),
    ...(space === null ? noDays('diskUnknown') : daysOf(growth, space, now)),
    roomBytes,
    usedBytes,
    totalBytes,
    basis: basisOf(growth?.points ?? points),
  }
}
