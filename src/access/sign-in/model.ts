import { Type, type Static } from '@sinclair/typebox'
import { Flag, Int, Model, Nullable, Text, Utc } from '../../core/http/schema.ts'
import { platforms, type Platform } from '../../platforms/platforms.ts'
import { stringUnion } from '../../core/lib/schema.ts'

export const SessionType = stringUnion(['admin', 'user', 'guest'])

type MembersOfPlatforms<Enabled, Expiry> = Record<`${Platform}PrefillEnabled`, Enabled> &
  Record<`${Platform}PrefillExpiresAt`, Expiry>

/** The two members of every platform: whether the caller may prefill, and until when. */
export const membersOfPlatforms = <Enabled, Expiry>(
  enabled: (platform: Platform) => Enabled,
  expiry: (platform: Platform) => Expiry,
) =>
  // Every platform has both.
  Object.fromEntries(
    platforms.flatMap((platform) => [
      [`${platform}PrefillEnabled`, enabled(platform)],
      [`${platform}PrefillExpiresAt`, expiry(platform)],
    ]),
  ) as MembersOfPlatforms<Enabled, Expiry>

export const prefillMembers = {
  prefillEnabled: Flag,
  ...membersOfPlatforms(
    () => Flag,
    () => Nullable(Utc),
  ),
}
const PrefillMembers = Type.Object(prefillMembers)
export type PrefillMembers = Static<typeof PrefillMembers>

export const AuthStatus = Model('AuthStatus', {
  isAuthenticated: Flag,
  authenticationEnabled: Flag,
  sessionType: Nullable(SessionType),
  sessionId: Nullable(Text),
  expiresAt: Nullable(Utc),
  accountId: Nullable(Text),
  isMainAdmin: Flag,
  hasData: Flag,
  hasBeenInitialized: Flag,
  hasDataLoaded: Flag,
  guestAccessEnabled: Flag,
  guestDurationHours: Int,
  ...prefillMembers,
})
export type AuthStatus = Static<typeof AuthStatus>

/** All three are needed to sign in; a missing one is a failed attempt, not a malformed request. */
export const LoginBody = Model('LoginBody', {
  apiKey: Type.Optional(Nullable(Text)),
  username: Type.Optional(Nullable(Text)),
  password: Type.Optional(Nullable(Text)),
})

export const PasswordBody = Type.Object({
  currentPassword: Type.Optional(Nullable(Text)),
  newPassword: Type.Optional(Nullable(Text)),
})

export const LoginResponse = Model('LoginResponse', {
  success: Flag,
  sessionType: SessionType,
  expiresAt: Utc,
})
export type LoginResponse = Static<typeof LoginResponse>
