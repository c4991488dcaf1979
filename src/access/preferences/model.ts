import { Type, type Static } from '@sinclair/typebox'
import { Flag, Int, Nullable, Text } from '../../core/http/schema.ts'

export const UserPreferences = Type.Object({
  selectedTheme: Nullable(Text),
  sharpCorners: Flag,
  disableFocusOutlines: Flag,
  disableTooltips: Flag,
  depotCatalogAlwaysVisible: Flag,
  disableStickyNotifications: Flag,
  useLocalTimezone: Flag,
  useUtcTimezone: Flag,
  use24HourFormat: Flag,
  showDatasourceLabels: Flag,
  refreshRate: Nullable(Text),
  refreshRateLocked: Nullable(Flag),
  allowedTimeFormats: Nullable(Type.Array(Text, { maxItems: 20 })),
  alphaMaxThreadCount: Nullable(Int),
  betaMaxThreadCount: Nullable(Int),
})
export type UserPreferences = Static<typeof UserPreferences>

/** A replacement: absent members get their default. */
export const PreferencesBody = Type.Partial(UserPreferences)

export const ClockBody = Type.Object({
  useUtcTimezone: Type.Optional(Flag),
  useLocalTimezone: Type.Optional(Flag),
  use24HourFormat: Type.Optional(Flag),
})
