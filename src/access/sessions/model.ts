import { Type, type Static } from '@sinclair/typebox'
import { Flag, Int, Model, Nullable, Text, Utc } from '../../core/http/schema.ts'
import { prefillMembers, SessionType } from '../sign-in/model.ts'

export const SessionDto = Model('SessionDto', {
  id: Text,
  sessionType: SessionType,
  /** Of its account, if the caller sees it; null for guests. */
  username: Nullable(Text),
  ipAddress: Text,
  userAgent: Text,
  createdAt: Utc,
  lastSeenAt: Utc,
  expiresAt: Utc,
  isRevoked: Flag,
  isCurrentSession: Flag,
  isExpired: Flag,
  revokedAt: Nullable(Utc),
  ...prefillMembers,
  publicIpAddress: Nullable(Text),
  countryCode: Nullable(Text),
  countryName: Nullable(Text),
  regionName: Nullable(Text),
  city: Nullable(Text),
  timezone: Nullable(Text),
  ispName: Nullable(Text),
  screenResolution: Nullable(Text),
  browserLanguage: Nullable(Text),
})
export type SessionDto = Static<typeof SessionDto>

export const SessionList = Model('SessionList', {
  sessions: Type.Array(SessionDto),
  count: Int,
  adminCount: Int,
  userCount: Int,
  guestCount: Int,
  pagination: Type.Object({ page: Int, pageSize: Int, totalCount: Int, totalPages: Int }),
  historySessions: Type.Array(SessionDto),
})
export type SessionList = Static<typeof SessionList>

export const RefreshRateBody = Type.Object({ refreshRate: Type.Optional(Nullable(Text)) })
export const Done = Type.Object({ success: Flag })
export const Affected = Type.Object({ success: Flag, affectedCount: Int })
export const Cleared = Type.Object({ success: Flag, clearedCount: Int })

const fact = Type.Optional(Nullable(Text))
export const ClientFacts = Type.Object({
  timezone: fact,
  language: fact,
  screenResolution: fact,
})
export type ClientFacts = Static<typeof ClientFacts>

export const ClientInfo = Model('ClientInfo', {
  success: Flag,
  publicIp: Nullable(Text),
  countryCode: Nullable(Text),
  country: Nullable(Text),
  region: Nullable(Text),
  city: Nullable(Text),
  timezone: Nullable(Text),
  isp: Nullable(Text),
})
export type ClientInfo = Static<typeof ClientInfo>
