import type { CacheForecast } from '../../cache/snapshots/model.ts'
import type { Batch } from '../api/queries.ts'

/** How fast the cache fills: measured, estimated from traffic, or unknown. */
export interface Pace {
  kind: 'measured' | 'estimated' | 'still'
  perDay: number
  /** Days covered by the measurement. */
  days: number
}

/** A forecast, only the space left, or nothing. */
export type SpaceLeft =
  | { kind: 'days'; days: number; pace: Pace; used: number; total: number }
  | { kind: 'space'; free: number; pace: Pace | null; used: number; total: number }
  | { kind: 'full'; used: number; total: number }
  | { kind: 'unknown' }

/** Longer forecasts are not shown. */
export const forecastDaysMax = 3650
const daySeconds = 86_400

/** From measured sizes if there are enough, else from bytes fetched in the current range. */
function paceOf(batch: Batch, seconds: number, forecast: CacheForecast | null): Pace | null {
  const perDay = forecast?.growthBytesPerDay ?? null
  if (forecast !== null && perDay !== null) {
    return { kind: perDay > 0 ? 'measured' : 'still', perDay, days: forecast.basis.days }
  }
  const added = batch.dashboard?.period.addedToCache ?? 0
  if (seconds < 3600 || added <= 0) return null
  return { kind: 'estimated', perDay: (added / seconds) * daySeconds, days: seconds / daySeconds }
}

/**
 * Days until the cache is full. `seconds` is the length of the part of the range with data; the
 * forecast is null while unavailable.
 */
export function spaceLeft(
  batch: Batch,
  seconds: number,
  forecast: CacheForecast | null,
): SpaceLeft {
  const space = batch.cache?.space ?? null
  if (space === null) return { kind: 'unknown' }
  const { roomBytes: free, usedBytes: used, totalBytes: total, isFull } = space
  if (isFull) return { kind: 'full', used, total }
  const pace = paceOf(batch, seconds, forecast)
  if (pace === null || pace.kind === 'still') return { kind: 'space', free, pace, used, total }
  const days = free / pace.perDay
  return days > forecastDaysMax
    ? { kind: 'space', free, pace, used, total }
    : { kind: 'days', days, pace, used, total }
}
