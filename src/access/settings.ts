import { Type } from '@sinclair/typebox'
import { flag, rule } from '../core/settings/rules.ts'
import { Nullable } from '../core/lib/schema.ts'
import { OidcProvider } from './oidc/model.ts'
import { keyedByPlatform } from '../platforms/platforms.ts'

/** What guests may prefill by default, and for how long. */
const GuestPrefill = Type.Object({
  enabledByDefault: Type.Boolean(),
  durationHours: Type.Integer({ minimum: 1, maximum: 3 }),
  /** Null: no limit. Only alpha, beta and epsilon have one. */
  maxThreadCount: Nullable(Type.Integer({ minimum: 1, maximum: 256 })),
})

const noGuestPrefill = { enabledByDefault: false, durationHours: 2, maxThreadCount: null }

/** Initial preferences of a new guest session. */
export const GuestPreferences = Type.Object({
  useLocalTimezone: Type.Boolean(),
  useUtcTimezone: Type.Boolean(),
  use24HourFormat: Type.Boolean(),
  sharpCorners: Type.Boolean(),
  disableTooltips: Type.Boolean(),
  showDatasourceLabels: Type.Boolean(),
  allowedTimeFormats: Type.Array(Type.String()),
})

/** Defaults of a prefill; concurrency is `auto`, `max` or a number of threads. */
const PrefillDefaults = Type.Object({
  operatingSystems: Type.Array(Type.String()),
  maxConcurrency: Type.String(),
  betaMaxConcurrency: Type.String(),
})

/** Settings of this group, with their form and their default. */
export const accessSettings = {
  'guest.isLocked': flag(false),
  'guest.durationHours': rule(Nullable(Type.Integer({ minimum: 1, maximum: 720 })), null),
  'guest.themeId': rule(Type.String(), 'dark-default'),
  'guest.preferences': rule(GuestPreferences, {
    useLocalTimezone: false,
    useUtcTimezone: false,
    use24HourFormat: true,
    sharpCorners: false,
    disableTooltips: false,
    showDatasourceLabels: true,
    allowedTimeFormats: ['server-24h', 'server-12h', 'local-24h', 'local-12h', 'utc'],
  }),
  'oidc.provider': rule(Nullable(OidcProvider), null),
  'system.refreshRate': rule(Type.String(), 'STANDARD'),
  'guest.refreshRate': rule(Type.String(), 'STANDARD'),
  'guest.isRefreshRateLocked': flag(true),
  'prefill.defaults': rule(PrefillDefaults, {
    operatingSystems: ['windows', 'linux', 'macos'],
    maxConcurrency: 'auto',
    betaMaxConcurrency: 'auto',
  }),
  ...keyedByPlatform(
    (platform) => `guest.prefill.${platform}` as const,
    () => rule(GuestPrefill, noGuestPrefill),
  ),
}
