import type { CacheForecast } from '../../../cache/snapshots/model.ts'
import { forecastDaysMax } from '../../app/space-left.ts'

/** When the cache will be full, or why that is unknown. */
export type FullIn =
  | { kind: 'days'; days: number }
  | { kind: 'full' }
  | { kind: 'far' }
  | { kind: 'still' }
  | { kind: 'tooLittle' }
  | { kind: 'unknown' }

/** From the forecast; null while it is unavailable. */
export function fullIn(forecast: CacheForecast | null): FullIn {
  if (forecast === null || forecast.reason === 'diskUnknown') return { kind: 'unknown' }
  const { daysUntilFull, reason } = forecast
  if (daysUntilFull === null) {
    if (reason === 'notGrowing') return { kind: 'still' }
    return { kind: reason === 'beyondForecast' ? 'far' : 'tooLittle' }
  }
  if (daysUntilFull <= 0) return { kind: 'full' }
  return daysUntilFull > forecastDaysMax ? { kind: 'far' } : { kind: 'days', days: daysUntilFull }
}
