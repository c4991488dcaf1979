import { Type, type Static } from '@sinclair/typebox'
import { Flag, Int, Judged, Model, Nullable, Text } from '../../core/http/schema.ts'
import { GuestPreferences } from '../settings.ts'
import { UserPreferences } from '../preferences/model.ts'

/** Nobody selects more operating systems or time formats than this. */
const choicesMax = 20

export const RefreshRateBody = Model('DefaultRefreshRateBody', { refreshRate: Type.Optional(Text) })
export const RefreshRateSetting = Model('RefreshRateSetting', {
  message: Nullable(Text),
  refreshRate: Text,
})
export const GuestRefreshRate = Type.Object({ refreshRate: Text, locked: Flag })
export const GuestRefreshRateSaved = Type.Object({ message: Text, refreshRate: Text })

export const LockBody = Type.Object({ locked: Type.Optional(Flag) })
export const LockSaved = Type.Object({ success: Flag, locked: Flag })

export { GuestPreferences }
export const FlagBody = Type.Object({ value: Type.Optional(Flag) })
export const FlagSaved = Type.Object({ message: Text, key: Text, value: Flag })

export const FormatsBody = Type.Object({
  formats: Type.Optional(Type.Array(Text, { maxItems: choicesMax })),
})
export const FormatsSaved = Type.Object({ message: Text, formats: Type.Array(Text) })

const Clock = Type.Pick(
  UserPreferences,
  ['useUtcTimezone', 'useLocalTimezone', 'use24HourFormat'],
  { title: 'ClockPreferences' },
)
export const ClockSaved = Type.Object({ message: Text, clock: Clock })

export const PrefillDefaults = Model('PrefillDefaults', {
  operatingSystems: Type.Array(Text),
  maxConcurrency: Text,
  serverThreadCount: Int,
  /** Null for account holders and for guests without a limit. */
  maxThreadLimit: Nullable(Int),
  betaDefaultPrefillMaxConcurrency: Text,
})
export type PrefillDefaults = Static<typeof PrefillDefaults>

const systemName = Judged(
  Type.String({ description: '`windows`, `linux` or `macos`; anything else is ignored' }),
)

/** Absent or null members stay unchanged. */
export const PrefillDefaultsBody = Type.Object({
  operatingSystems: Type.Optional(Nullable(Type.Array(systemName, { maxItems: choicesMax }))),
  maxConcurrency: Type.Optional(Nullable(Text)),
  betaDefaultPrefillMaxConcurrency: Type.Optional(Nullable(Text)),
})
export type PrefillDefaultsBody = Static<typeof PrefillDefaultsBody>
