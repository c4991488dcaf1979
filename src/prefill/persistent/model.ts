import { Type, type Static } from '@sinclair/typebox'
import { Flag, Int, LargeInt, Model, Nullable, Text, Utc } from '../../core/http/schema.ts'
import { credentialCharsMax } from '../hubs/payloads.ts'
import { AppIds, CredentialChallenge, OwnedGame, runBody } from '../sessions/model.ts'

const Id = Type.String({ minLength: 1, maxLength: 100 })
const OptionalId = Type.Optional(Nullable(Type.String({ maxLength: 100 })))
const Service = Type.Union(
  [Type.String({ maxLength: 20 }), Type.Integer({ minimum: 0, maximum: 4 })],
  {
    description: 'PrefillPlatform, by name or number',
  },
)
const edit = { editSessionId: OptionalId, editActionId: OptionalId }

export const StartBody = Type.Object({ service: Service, ...edit })
export const StopBody = Type.Object({ sessionId: Id })
export const SessionBody = Type.Object({ service: Service, sessionId: OptionalId })
export const LoginBody = Type.Object({ service: Service, sessionId: OptionalId, ...edit })
export type EditIds = Pick<Static<typeof LoginBody>, 'editSessionId' | 'editActionId'>

const text = Type.Optional(Nullable(Type.String({ maxLength: 4000 })))
export const CredentialBody = Type.Object({
  service: Service,
  sessionId: OptionalId,
  challenge: Type.Optional(
    Type.Object({
      challengeId: Type.Optional(Type.String({ maxLength: 200 })),
      type: text,
      credentialType: text,
      serverPublicKey: text,
      email: text,
      authUrl: text,
      userCode: text,
      verificationUri: text,
      createdAt: text,
      expiresAt: text,
      sessionId: text,
      operationId: text,
    }),
  ),
  credential: Type.Optional(
    Nullable(
      Type.String({
        maxLength: credentialCharsMax,
        description: 'In clear; it is encrypted for the daemon',
      }),
    ),
  ),
  ...edit,
})
export type CredentialBody = Static<typeof CredentialBody>

export const SelectedAppsBody = Type.Object({
  service: Service,
  sessionId: OptionalId,
  appIds: AppIds,
  ...edit,
})

export const PrefillBody = Type.Object({
  service: Service,
  sessionId: OptionalId,
  appIds: Type.Optional(Nullable(AppIds)),
  ...runBody,
  ...edit,
})
export type PrefillBody = Static<typeof PrefillBody>

export const CleanupService = Type.Object({
  service: Service,
  baselineSessionId: OptionalId,
  baselineSelectedAppIds: AppIds,
  startSessionId: OptionalId,
  loginSessionId: OptionalId,
  prefillSessionId: OptionalId,
  selectionSessionId: OptionalId,
})
export type CleanupService = Static<typeof CleanupService>

export const CleanupBody = Type.Object({
  editSessionId: Id,
  cleanupId: Id,
  services: Type.Array(CleanupService, { maxItems: 5 }),
})
export type CleanupBody = Static<typeof CleanupBody>

export const PersistentSession = Model('PersistentPrefillSession', {
  sessionId: Text,
  service: Text,
  isRunning: Flag,
  isAuthenticated: Flag,
  authExpiresAtUtc: Utc,
  createdAtUtc: Utc,
  authTimeRemainingSeconds: LargeInt,
  needsRelogin: Flag,
  daemonAuthExpiresAtUtc: Nullable(Utc),
  isPrefilling: Flag,
  totalBytesTransferred: LargeInt,
  currentAppName: Nullable(Text),
  status: Text,
  errorMessage: Nullable(Text),
  username: Nullable(Text),
  isShared: Flag,
  storedAccount: Nullable(
    Text,
    'Account whose sign-in is stored here; `stored-login` hands it to the daemon',
  ),
})
export type PersistentSession = Static<typeof PersistentSession>

export const LoggedIn = Model('PersistentLoginState', {
  sessionId: Text,
  status: Text,
  message: Nullable(Text),
})
export const LoginAnswer = Type.Union([CredentialChallenge, LoggedIn])
export type LoginAnswer = Static<typeof LoginAnswer>

export const Logout = Model('PersistentLogout', { forgotten: Flag, fallback: Nullable(Text) })
export type Logout = Static<typeof Logout>

export const ClearedLogin = Model('ClearPersistentLoginServiceResultDto', {
  service: Text,
  wasRunning: Flag,
  success: Flag,
  detail: Text,
})
export type ClearedLogin = Static<typeof ClearedLogin>
export const ClearedLogins = Type.Object({ services: Type.Array(ClearedLogin) })

export const Games = Type.Object({
  games: Type.Array(OwnedGame),
  cachedAppIds: Type.Array(Text),
})
export type Games = Static<typeof Games>

export const Validity = Model('PersistentLoginValidity', { days: Int })
export const ValidityBody = Type.Object({ days: Type.Integer({ minimum: 1, maximum: 365 }) })

/** A refusal that says whether there is a session to ask. */
export const StateError = Model('PersistentSessionError', {
  error: Text,
  state: Type.Optional(
    Type.String({ description: '`active`, `notStarted` or `errored`, where it matters' }),
  ),
})
