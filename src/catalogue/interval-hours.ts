import { Type } from '@sinclair/typebox'
import { AppError } from '../core/http/errors.ts'
import { intervalHoursMax } from '../core/lib/duration.ts'
import { Judged } from '../core/http/schema.ts'

/** The bare number of hours between two runs. */
export const IntervalHours = Judged(
  Type.Number({ minimum: 0, maximum: intervalHoursMax, description: 'Hours; 0: never' }),
)

/** The hours of such a body. Throws `invalid`. */
export function intervalHoursOf(value: unknown): number {
  if (typeof value === 'number' && value >= 0 && value <= intervalHoursMax) return value
  throw new AppError('invalid', `The interval is a number of hours, 0 to ${intervalHoursMax}`)
}
