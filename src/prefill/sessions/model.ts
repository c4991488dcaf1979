import { CacheName } from '../scheduled/stored.ts'
import { queued } from '../../core/operations/contract.ts'
import { Type, type Static } from '@sinclair/typebox'
import { Flag, Int, LargeInt, Model, Nullable, Num, Text } from '../../core/http/schema.ts'

export { CredentialChallenge, DaemonSession } from '../hubs/payloads.ts'

export type SessionStatus = 'Active' | 'Terminated' | 'Error'

export const OwnedGame = Model('OwnedGame', {
  appId: Type.Union([LargeInt, Text]),
  name: Text,
  imageUrl: Nullable(Text),
})
export type OwnedGame = Static<typeof OwnedGame>

export const PrefillResult = Model('PrefillResult', {
  success: Flag,
  errorMessage: Nullable(Text),
  totalTime: Type.String({ description: 'hh:mm:ss.fffffff' }),
  totalSeconds: Num,
})
export type PrefillResult = Static<typeof PrefillResult>

export const QueuedRun = Model('QueuedPrefill', queued)
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

/** What to prefill; without the first four it is the stored selection. */
export const runBody = {
  all: Type.Optional(Flag),
  recent: Type.Optional(Flag),
  recentlyPurchased: Type.Optional(Flag),
  top: Type.Optional(Nullable(Type.Integer({ minimum: 1, maximum: 100_000 }))),
  /** Downloads what is up to date, too. */
  force: Type.Optional(Flag),
  operatingSystems: Type.Optional(Nullable(Type.Array(Text, { maxItems: 10 }))),
  maxConcurrency: Type.Optional(Nullable(Type.Integer({ minimum: 1, maximum: 256 }))),
  cache: Type.Optional(CacheName),
}
export const StartPrefillBody = Type.Object(runBody)
export type StartPrefillBody = Static<typeof StartPrefillBody>
export type RunRequest = Required<StartPrefillBody>

export const DaemonServiceStatus = Model('DaemonServiceStatus', {
  containerRuntimeAvailable: Flag,
  activeSessions: Int,
  authenticatedSessions: Int,
  maxSessionsPerUser: Int,
  sessionTimeoutMinutes: Int,
})
