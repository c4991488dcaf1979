import { Type } from '@sinclair/typebox'
import { Judged } from '../core/http/schema.ts'

/** A year; a longer interval is a typing mistake. */
export const intervalHoursMax = 8760

/** The bare number of hours between two runs. */
export const IntervalHours = Judged(
  Type.Number({ minimum: 0, maximum: intervalHoursMax, description: 'Hours; 0: never' }),
)
