import { AppError } from '../../core/http/errors.ts'
import type { Settings } from '../../core/settings/settings.ts'
import { intervalHoursMax } from '../interval-hours.ts'

/** Stores the hours between two refreshes. Throws `invalid`. */
export function storeInterval(settings: Settings, value: unknown): number {
  if (typeof value !== 'number' || !(value >= 0 && value <= intervalHoursMax)) {
    const text = `The interval is a number of hours, 0 to ${intervalHoursMax}; 0: never`
    throw new AppError('invalid', text)
  }
  settings.set('beta.intervalHours', value)
  return value
}
