import { Type } from '@sinclair/typebox'
import { stringUnion } from '../core/lib/schema.ts'
import { rule } from '../core/settings/rules.ts'
import { platforms } from '../platforms/platforms.ts'
import { Bandwidth, noLimit } from './bandwidth/limits.ts'
import { ReadySettings, unsetBoard } from './ready/settings.ts'
import { ShelfGames } from './shelf/settings.ts'
import { ScheduledPrefill, usualScheduledPrefill } from './scheduled/stored.ts'

/** Settings of this group, with their form and their default. */
export const prefillSettings = {
  'prefill.bandwidth': rule(Bandwidth, noLimit),
  /** Platforms whose first schedule was chosen (`prefill/scheduled/store.ts`). */
  'prefill.chosen': rule(Type.Array(stringUnion(platforms)), []),
  'prefill.ready': rule(ReadySettings, unsetBoard),
  'prefill.schedule': rule(ScheduledPrefill, usualScheduledPrefill),
  'prefill.shelf': rule(ShelfGames, []),
  /** Days until a persistent session has to sign in again. */
  'prefill.validityDays': rule(Type.Integer({ minimum: 1, maximum: 365 }), 90),
}
