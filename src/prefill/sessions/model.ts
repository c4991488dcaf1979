import { Type, type Static } from '@sinclair/typebox'
import { Flag, Int, LargeInt, Model, Nullable, Num, Text, Utc } from '../../core/http/schema.ts'

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

export type SessionStatus = 'Active' | 'Terminated' | 'Error'

const NetworkDiagnostics = Model('PrefillNetworkDiagnostics', {
  internetConnectivity: Flag,
  internetConnectivityError: Nullable(Text),
  internetConnectivityIpv4: Nullable(Flag),
  internetConnectivityIpv4Error: Nullable(Text),
  internetConnectivityIpv6: Nullable(Flag),
  internetConnectivityIpv6Error: Nullable(Text),
  dnsResults: Type.Array(
    Type.Object({
      domain: Text,
      resolvedIps: Type.Array(Text),
      isPrivateIp: Flag,
      success: Flag,
      error: Nullable(Text),
    }),
  ),
  testedAt: Utc,
  useHostNetworking: Flag,
  lancacheIpInjected: Nullable(Text),
  lancacheIpSource: Nullable(Text),
  advice: Type.Array(
    Type.Object({
      text: Text,
      key: Text,
      values: Type.Record(Type.String(), Type.Union([Text, Num])),
    }),
    { description: 'What to do about each fault' },
  ),
})

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

export const OwnedGame = Model('OwnedGame', {
  appId: Type.Union([LargeInt, Text]),
  name: Text,
  imageUrl: Nullable(Text),
})
export type OwnedGame = Static<typeof OwnedGame>

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

export const PrefillResult = Model('PrefillResult', {
  success: Flag,
  errorMessage: Nullable(Text),
  totalTime: Type.String({ description: 'hh:mm:ss.fffffff' }),
  totalSeconds: Num,
})
export type PrefillResult = Static<typeof PrefillResult>

export const QueuedRun = Model('QueuedPrefill', {
  operationId: Text,
  queued: Flag,
  alreadyRunning: Flag,
  status: Text,
})
export type QueuedRun = Static<typeof QueuedRun>

export const PrefillCacheStatus = Model('PrefillCacheStatus', {
  upToDateAppIds: Type.Array(Text),
  outdatedAppIds: Type.Array(Text),
  message: Nullable(Text),
})
export type PrefillCacheStatus = Static<typeof PrefillCacheStatus>

/** Apps in one selection. */
export const appIdsMax = 20_000
/** Their ids in a request fill more than the usual body. */
export const appIdsBytesMax = 512 * 1024
export const AppId = Type.String({ minLength: 1, maxLength: 200 })
export const AppIds = Type.Array(AppId, { maxItems: appIdsMax })

export const AppSelectionBody = Type.Object({ appIds: Type.Optional(Nullable(AppIds)) })
export const AppsSelected = Model('SelectedAppsResponse', { message: Text, count: Int })

export const runBody = {
  all: Type.Optional(Flag),
  recent: Type.Optional(Flag),
  recentlyPurchased: Type.Optional(Flag),
  top: Type.Optional(Nullable(Type.Integer({ minimum: 1, maximum: 100_000 }))),
  force: Type.Optional(Flag),
  operatingSystems: Type.Optional(Nullable(Type.Array(Text, { maxItems: 10 }))),
  maxConcurrency: Type.Optional(Nullable(Type.Integer({ minimum: 1, maximum: 256 }))),
}
export const StartPrefillBody = Type.Object(runBody)
export type StartPrefillBody = Static<typeof StartPrefillBody>

export const DaemonServiceStatus = Model('DaemonServiceStatus', {
  containerRuntimeAvailable: Flag,
  activeSessions: Int,
  authenticatedSessions: Int,
  maxSessionsPerUser: Int,
  sessionTimeoutMinutes: Int,
})
