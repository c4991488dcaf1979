import { PrefillDefaults } from './defaults/model.ts'
import { Toggled } from './guest/model.ts'
import { Type } from '@sinclair/typebox'
import { Flag, Int, Model, Nullable, Text, Utc } from '../core/lib/schema.ts'
import { accounts, Cleared, everyone, session } from '../core/live/events.ts'
import { platformFacts, type Platform } from '../platforms/platforms.ts'

const open = (description: string) => Type.Unsafe<object>(Type.Object({}, { description }))

const sessionNotice = Model('SessionNotice', {
  sessionId: Text,
  sessionType: Type.String({
    description: '`admin`, `user`, `guest`; `unknown` for the end of another session',
  }),
})

/** How guests may prefill on a platform; each has its own name of the limit of threads. */
const guestPrefill = { enabledByDefault: Flag, durationHours: Int }

const clock = open('Clock settings')

export const guestPrefillEvent = (platform: Platform) =>
  `${platformFacts[platform].eventPrefix}GuestPrefillConfigChanged` as const

/** Events of this group. */
export const accessEvents = {
  DefaultGuestRefreshRateChanged: everyone(Type.Object({ refreshRate: Text })),
  GuestRefreshRateLockChanged: everyone(Type.Object({ locked: Flag })),
  AllowedTimeFormatsChanged: everyone(
    Type.Object({
      formats: Type.Unsafe<readonly string[]>(Type.Array(Text)),
    }),
  ),
  DefaultGuestPreferencesChanged: everyone(
    Type.Union([
      Type.Object({ key: Text, value: Flag }),
      Type.Object({ key: Type.Literal('clock'), clock, previousClock: clock }),
    ]),
  ),
  DefaultGuestThemeChanged: everyone(Type.Object({ newThemeId: Nullable(Text) })),
  GuestModeLockChanged: everyone(Type.Object({ isLocked: Flag })),
  GuestDurationUpdated: everyone(Type.Object({ durationHours: Int })),
  UserPreferencesReset: everyone(
    Type.Union([Type.Object({ affectedCount: Int, sessionType: Text }), Cleared]),
  ),
  PrefillDefaultsChanged: everyone(Type.Object(PrefillDefaults.properties)),
  GuestPrefillConfigChanged: everyone(
    Type.Object({ ...guestPrefill, maxThreadCount: Nullable(Int) }),
  ),
  BetaGuestPrefillConfigChanged: everyone(
    Type.Object({
      ...guestPrefill,
      betaMaxThreadCount: Nullable(Int),
    }),
  ),
  GammaGuestPrefillConfigChanged: everyone(Type.Object(guestPrefill)),
  DeltaGuestPrefillConfigChanged: everyone(Type.Object(guestPrefill)),
  EpsilonGuestPrefillConfigChanged: everyone(
    Type.Object({
      ...guestPrefill,
      epsilonMaxThreadCount: Nullable(Int),
    }),
  ),
  UserPreferencesUpdated: session(
    Type.Object({ sessionId: Text, preferences: open('All preferences') }),
  ),
  GuestRefreshRateUpdated: session(Type.Object({ sessionId: Text, refreshRate: Nullable(Text) })),
  GuestPrefillPermissionChanged: session(Type.Omit(Toggled, ['success'])),
  UserSessionRevoked: session(sessionNotice),
  UserSessionDeleted: session(sessionNotice),
  UserSessionCreated: accounts(sessionNotice),
  UserSessionsCleared: accounts(
    Type.Union([
      Type.Object({ clearedCount: Int, sessionType: Text }),
      Type.Object({
        clearedCount: Int,
        clearCookies: Flag,
        stageKey: Text,
        context: Nullable(Type.Object({})),
        timestamp: Utc,
      }),
    ]),
  ),
  SessionLastSeenUpdated: accounts(Type.Object({ sessionId: Text, lastSeenAt: Utc })),
}
