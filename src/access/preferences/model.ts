import { Type, type Static } from '@sinclair/typebox'
import { Flag, Int, Judged, Model, Nullable, Text } from '../../core/http/schema.ts'

export const UserPreferences = Model('UserPreferences', {
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

/** A replacement: what is absent becomes the default. */
export const PreferencesBody = Type.Partial(UserPreferences, { title: 'UserPreferencesInput' })

export const PreferenceValue = Judged(
  Type.Union([Flag, Int, Text, Type.Array(Text), Type.Null()], {
    description: 'Value of the preference, of the type that it has in `UserPreferences`',
  }),
)

export const ClockBody = Model('ClockBody', {
  useUtcTimezone: Type.Optional(Flag),
  useLocalTimezone: Type.Optional(Flag),
  use24HourFormat: Type.Optional(Flag),
})
