import { Type, type Static } from '@sinclair/typebox'
import { Flag, Int, Model, Nullable, Text, Utc } from '../../core/http/schema.ts'

export const ClientGroup = Model('ClientGroup', {
  id: Int,
  nickname: Text,
  description: Nullable(Text),
  separateMemberRows: Flag,
  createdAtUtc: Utc,
  /** With microseconds: send it back as `expectedUpdatedAtUtc`. */
  updatedAtUtc: Nullable(Utc),
  memberIps: Type.Array(Text),
})
export type ClientGroup = Static<typeof ClientGroup>

export const CreatedGroup = Model('CreatedGroup', {
  ...ClientGroup.properties,
  rejectedIps: Type.Array(Text),
})

export const MembersAnswer = Type.Object({ group: ClientGroup, rejectedIps: Type.Array(Text) })

export const GroupMapping = Type.Record(
  Text,
  Type.Object({ groupId: Int, nickname: Text, separateMemberRows: Flag }),
)

const optional = <T extends typeof Text | typeof Flag>(schema: T) => Type.Optional(Nullable(schema))

// The service's rules refuse missing members and name the field.
export const NewGroup = Type.Object({
  nickname: optional(Text),
  description: optional(Text),
  initialIps: Type.Optional(Nullable(Type.Array(Nullable(Text)))),
  separateMemberRows: optional(Flag),
})
export type NewGroup = Static<typeof NewGroup>

export const GroupChange = Type.Object({
  nickname: optional(Text),
  description: optional(Text),
  separateMemberRows: optional(Flag),
  expectedUpdatedAtUtc: optional(Text),
})
export type GroupChange = Static<typeof GroupChange>

export const MembersChange = Type.Object({
  clientIps: Type.Optional(Nullable(Type.Array(Nullable(Text)))),
  expectedUpdatedAtUtc: optional(Text),
})
export type MembersChange = Static<typeof MembersChange>

export const GroupChanged = Model('GroupChanged', {
  error: Text,
  currentGroup: Type.Optional(ClientGroup),
  rejectedIps: Type.Optional(Type.Array(Text)),
})
