import { Type } from '@sinclair/typebox'
import { intervalHoursMax } from '../core/lib/duration.ts'
import { amount, flag, rule, text } from '../core/settings/rules.ts'
import { Nullable, stringUnion } from '../core/lib/schema.ts'

/** How names of Steam's depots were last looked for. */
const LastMapping = Type.Object({
  at: Type.String(),
  mode: stringUnion(['github', 'local', 'incremental', 'full', 'needed']),
  outcome: stringUnion(['completed', 'failed', 'cancelled', 'skipped']),
  error: text,
})

/** Settings of this group, with their form and their default. */
export const catalogueSettings = {
  'alpha.authMode': rule(Nullable(stringUnion(['anonymous', 'authenticated'])), null),
  /** `github`: a ready-made list; otherwise a crawl of Steam's product information. */
  'depots.crawlMode': rule(stringUnion(['github', 'incremental', 'full']), 'github'),
  /** 0: never on a schedule. */
  'depots.crawlIntervalHours': rule(Type.Number({ minimum: 0, maximum: intervalHoursMax }), 1),
  /** At least one run read mappings. */
  'depots.isLoaded': flag(false),
  'depots.lastRun': rule(Nullable(LastMapping), null),
  /** Tells sessions of one Steam account apart; created with the first one. */
  'alpha.logonId': rule(amount(65_535), null),
  /** 0: never on a schedule. */
  'beta.intervalHours': rule(Type.Number({ minimum: 0, maximum: intervalHoursMax }), 12),
  /** When the mappings were last refreshed, ISO-8601. */
  'beta.lastRefresh': rule(text, null),
  'epsilon.lastRefresh': rule(text, null),
  /** When every title was last asked for its packages, ISO-8601. */
  'epsilon.packagesRead': rule(text, null),
}
