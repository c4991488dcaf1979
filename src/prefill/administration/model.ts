import { Type, type Static } from '@sinclair/typebox'
import {
  Flag,
  Int,
  LargeInt,
  Model,
  Nullable,
  QueryInt,
  Text,
  Utc,
} from '../../core/http/schema.ts'

const word = Type.Optional(Type.String({ maxLength: 50 }))
export const pageQuery = { page: QueryInt, pageSize: QueryInt, status: word, platform: word }

export const PrefillSessionDto = Model('PrefillSessionDto', {
  id: Int,
  sessionId: Text,
  createdBySessionId: Text,
  containerId: Nullable(Text),
  containerName: Nullable(Text),
  accountUsername: Nullable(Text),
  platform: Text,
  username: Nullable(Text),
  status: Text,
  isAuthenticated: Flag,
  isPrefilling: Flag,
  createdAtUtc: Utc,
  endedAtUtc: Nullable(Utc),
  expiresAtUtc: Utc,
  terminationReason: Nullable(Text),
  terminatedBy: Nullable(Text),
  isLive: Flag,
  isPersistent: Flag,
  user: Nullable(
    Text,
    'Whose session it is: an account, or the address of a guest; null: the system’s',
  ),
  errorMessage: Nullable(
    Text,
    'Why the session cannot be used any more, although it has not ended',
  ),
})
export type PrefillSessionDto = Static<typeof PrefillSessionDto>

export const SessionPage = Model('PrefillSessionPage', {
  sessions: Type.Array(PrefillSessionDto),
  totalCount: Int,
  page: Int,
  pageSize: Int,
  lastPrefillCacheIp: Nullable(Text),
  lastPrefillCacheIpSource: Nullable(Text),
})
export type SessionPage = Static<typeof SessionPage>

export const HistoryEntry = Model('PrefillHistoryEntry', {
  id: Int,
  sessionId: Text,
  appId: Text,
  appName: Nullable(Text),
  startedAtUtc: Utc,
  completedAtUtc: Nullable(Utc),
  bytesDownloaded: LargeInt,
  totalBytes: Type.Integer({ minimum: 0, description: '0: unknown' }),
  status: Text,
  errorMessage: Nullable(Text),
  scheduleId: Nullable(Text),
  scheduleName: Nullable(Text, 'Name of the schedule at that time; null: started by hand'),
})
export type HistoryEntry = Static<typeof HistoryEntry>

export const CachedApp = Model('PrefillCachedApp', {
  appId: Text,
  appName: Nullable(Text),
  depotCount: Int,
  totalBytes: Nullable(LargeInt, 'Null: unknown'),
  cachedAtUtc: Utc,
  cachedBy: Nullable(Text),
})
export type CachedApp = Static<typeof CachedApp>

export const BannedPrefillUser = Model('BannedPrefillUser', {
  id: Int,
  username: Nullable(Text),
  bannedUserId: Nullable(Text),
  user: Nullable(Text, 'Of `bannedUserId`: an account, or the address of a guest'),
  banReason: Nullable(Text),
  bannedBySessionId: Nullable(Text),
  bannedAtUtc: Utc,
  bannedBy: Nullable(Text),
  expiresAtUtc: Nullable(Utc),
  isLifted: Flag,
  liftedAtUtc: Nullable(Utc),
  liftedBy: Nullable(Text),
  isActive: Flag,
})
export type BannedPrefillUser = Static<typeof BannedPrefillUser>

const Reason = Type.Optional(Nullable(Type.String({ maxLength: 500 })))
const Expiry = Type.Optional(Nullable(Type.String({ maxLength: 40, description: 'ISO-8601, UTC' })))

export const TerminateBody = Type.Object({
  reason: Reason,
  force: Type.Optional(Flag),
})
export type TerminateBody = Static<typeof TerminateBody>

export const BanBody = Type.Object({
  username: Type.Optional(Type.String({ maxLength: 100 })),
  reason: Reason,
  sessionId: Type.Optional(Nullable(Type.String({ maxLength: 100 }))),
  expiresAt: Expiry,
})
export type BanBody = Static<typeof BanBody>

export const BanSessionBody = Type.Object({ reason: Reason, expiresAt: Expiry })
export type BanSessionBody = Static<typeof BanSessionBody>
