import { Type, type Static } from '@sinclair/typebox'
import { Flag, Int, Model, Nullable, Text, Utc } from '../../core/http/schema.ts'
import { stringUnion } from '../../core/http/string-union.ts'
import { queryLogKinds } from './query-log.ts'
import { hints, proofKinds } from './radar.ts'

const DnsProof = Model('DnsProof', {
  /** What the query log shows: another address, another server, or an IPv6 address. */
  kind: stringUnion(proofKinds),
  service: Text,
  host: Text,
  address: Text,
  atUtc: Utc,
})

export const BypassSuspect = Model('BypassSuspect', {
  clientIp: Text,
  /** Has stopped altogether; else only these services have. */
  isSilent: Flag,
  lastSeenUtc: Nullable(Utc),
  usualBreakDays: Nullable(Int),
  services: Type.Array(Text),
  /** Null: a suspicion. */
  proof: Nullable(DnsProof),
  /** `ownDns`: the network's DNS leads to the cache, this client perhaps asks another one. */
  hint: Nullable(stringUnion(hints)),
  isDismissed: Flag,
})

export const Bypass = Model('Bypass', {
  items: Type.Array(BypassSuspect),
  /** Why the query log was not read; null: it was, or none is set. */
  problem: Nullable(Text),
})

export const Dismissal = Type.Object({ isDismissed: Flag })

export const QueryLogView = Model('QueryLog', {
  /** Null: no query log is read. */
  kind: Nullable(stringUnion(queryLogKinds)),
  url: Text,
  user: Text,
  hasPassword: Flag,
})
export type QueryLogView = Static<typeof QueryLogView>

export const QueryLogBody = Model('QueryLogBody', {
  kind: Nullable(stringUnion(queryLogKinds)),
  /** Base address of the web interface. */
  url: Type.String({ maxLength: 300 }),
  user: Type.Optional(Type.String({ maxLength: 255 })),
  /** Left out: stays as it is, unless the address or the user changes. */
  password: Type.Optional(Nullable(Type.String({ maxLength: 1000 }))),
})
export type QueryLogBody = Static<typeof QueryLogBody>
