import { Type, type Static, type TSchema } from '@sinclair/typebox'
import {
  Flag,
  Int,
  LargeInt,
  Model,
  Nullable,
  stringUnion,
  Text,
  Utc,
} from '../../core/lib/schema.ts'
import { NetworkDiagnostics } from '../transports/contract.ts'
import { PrefillProgress } from '../protocol/progress.ts'

export const authStates = [
  'NotAuthenticated',
  'LoggingIn',
  'UsernameRequired',
  'PasswordRequired',
  'TwoFactorRequired',
  'AlphaGuardRequired',
  'DeviceConfirmationRequired',
  'AuthorizationUrlRequired',
  'Authenticated',
] as const
export type AuthState = (typeof authStates)[number]

export const DaemonSession = Model('DaemonSession', {
  id: Text,
  userId: Text,
  containerName: Text,
  status: Text,
  errorMessage: Nullable(Text),
  authState: Text,
  isPrefilling: Flag,
  createdAt: Utc,
  expiresAt: Utc,
  timeRemainingSeconds: LargeInt,
  isTemporary: Flag,
  isPersistent: Flag,
  needsRelogin: Flag,
  ipAddress: Nullable(Text),
  operatingSystem: Nullable(Text),
  browser: Nullable(Text),
  lastSeenAt: Utc,
  accountUsername: Nullable(Text),
  platform: Text,
  username: Nullable(Text),
  currentAppId: Nullable(Text),
  currentAppName: Nullable(Text),
  totalBytesTransferred: LargeInt,
  networkDiagnostics: Nullable(NetworkDiagnostics),
  lastPrefillCompletedAt: Nullable(Utc),
  lastPrefillDurationSeconds: Nullable(Int),
  lastPrefillStatus: Nullable(Text),
  isShared: Type.Boolean({
    description: 'All sessions of the platform use one daemon, and so one sign-in',
  }),
  cacheAddress: Nullable(Text),
  cacheAddressSource: Text,
})
export type DaemonSession = Static<typeof DaemonSession>

export const CredentialChallenge = Model('CredentialChallenge', {
  type: Text,
  challengeId: Text,
  credentialType: Text,
  serverPublicKey: Text,
  email: Nullable(Text),
  authUrl: Nullable(Text),
  userCode: Nullable(Text),
  verificationUri: Nullable(Text),
  createdAt: Text,
  expiresAt: Text,
  sessionId: Nullable(Text),
  operationId: Nullable(Text),
})
export type CredentialChallenge = Static<typeof CredentialChallenge>

export const runStates = ['started', 'completed', 'failed', 'cancelled'] as const
export type PrefillRunState = (typeof runStates)[number]

/** What became of a game in a run. */
export const gameStatuses = ['InProgress', 'Completed', 'Cached', 'Failed', 'Cancelled'] as const
export type GameStatus = (typeof gameStatuses)[number]

const DaemonStatus = Model('PrefillDaemonStatus', {
  type: Type.Literal('status-update'),
  status: stringUnion(['logged-in', 'awaiting-login']),
  message: Nullable(Text),
  timestamp: Utc,
  displayName: Nullable(Text),
  authExpiryUtc: Nullable(Text),
  accountDisplayName: Nullable(Text),
})

const ofSession = { sessionId: Text }
const ended = Type.Object({ ...ofSession, reason: Text })

/**
 * Payloads of the events that every platform has, under names with the platform's prefix:
 * `PrefillProgress`, `BetaPrefillProgress` and so on.
 */
export const platformPayloads = {
  DaemonSessionCreated: DaemonSession,
  DaemonSessionUpdated: DaemonSession,
  DaemonSessionTerminated: ended,
  AuthStateChanged: Type.Object({ ...ofSession, authState: stringUnion(authStates) }),
  CredentialChallenge: Type.Object({ ...ofSession, challenge: CredentialChallenge }),
  StatusChanged: Type.Object({ ...ofSession, status: DaemonStatus }),
  PrefillStateChanged: Type.Object({
    ...ofSession,
    state: stringUnion(runStates),
    durationSeconds: Nullable(Int),
    errorMessage: Nullable(Text, 'Why the run failed, or was cancelled by someone else'),
  }),
  PrefillProgress: Type.Object({ ...ofSession, progress: PrefillProgress }),
  PrefillHistoryUpdated: Type.Object({
    ...ofSession,
    appId: Text,
    status: stringUnion(gameStatuses),
  }),
  SessionEnded: ended,
}

/** Credentials are short; more is not sent to the daemon. */
export const credentialCharsMax = 8192

const Id = Type.String({ maxLength: 100, description: 'Id of a session' })
const Wait = Type.Number({ minimum: 0, description: 'Seconds to wait: usually 30, 120 at most' })
const Challenge = Type.Object({ challengeId: Type.String({ maxLength: 200 }) })
const Credential = Type.String({ minLength: 1, maxLength: credentialCharsMax })
const Systems = Type.Array(Type.String({ maxLength: 20 }), { maxItems: 10 })
const Cache = Type.String({ maxLength: 100, description: 'Name of a node: of its cache' })

/** Methods that the hub of a platform answers, each with its arguments in their order. */
export const platformCalls = {
  CreateSessionAsync: [],
  GetMySessions: [],
  SubscribeToSessionAsync: [Id],
  StartLoginAsync: [Id],
  WaitForChallengeAsync: [Id, Type.Optional(Nullable(Wait))],
  ProvideCredentialAsync: [Id, Challenge, Credential],
  CancelLoginAsync: [Id],
  CancelPrefillAsync: [Id],
  ClearCacheAsync: [Id],
  GetSelectedAppsStatusAsync: [
    Id,
    Type.Optional(Nullable(Systems)),
    Type.Optional(Nullable(Cache)),
  ],
  EndSessionAsync: [Id],
  GetLastPrefillResult: [Id],
  GetCurrentPrefillProgress: [Id],
} as const satisfies Record<string, readonly TSchema[]>
export type PlatformCall = keyof typeof platformCalls

/** Names of these events without the prefix. */
export type PlatformEvent = keyof typeof platformPayloads
export type PlatformPayload<E extends PlatformEvent> = Static<(typeof platformPayloads)[E]>
