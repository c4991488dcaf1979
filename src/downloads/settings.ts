import { Type } from '@sinclair/typebox'
import { amount, rule } from '../core/settings/rules.ts'

/** Policy for log files; maximum values as in the API. Null: disabled. */
const LogRetention = Type.Object({
  isEnabled: Type.Boolean(),
  rotateAboveMib: amount(1_048_576),
  rotateAfterDays: amount(3660),
  compresses: Type.Boolean(),
  keepDays: amount(3660),
  keepGib: amount(1_048_576),
})

/** Settings of this group, with their form and their default. */
export const downloadsSettings = {
  'logs.retention': rule(LogRetention, {
    isEnabled: false,
    rotateAboveMib: null,
    rotateAfterDays: null,
    compresses: false,
    keepDays: null,
    keepGib: null,
  }),
}
