import { Type } from '@sinclair/typebox'
import { rule } from '../core/settings/rules.ts'
import { Bandwidth, noLimit } from './bandwidth/limits.ts'
import { ScheduledPrefill, usualScheduledPrefill } from './scheduled/stored.ts'

/** Settings of this group, with their form and their default. */
export const prefillSettings = {
  'prefill.bandwidth': rule(Bandwidth, noLimit),
  'prefill.schedule': rule(ScheduledPrefill, usualScheduledPrefill),
  /** Days until a persistent session has to sign in again. */
  'prefill.validityDays': rule(Type.Integer({ minimum: 1, maximum: 365 }), 90),
}
