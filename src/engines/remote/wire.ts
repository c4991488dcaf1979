import { Type, type Static } from '@sinclair/typebox'
import { Model, Text, Utc } from '../../core/lib/schema.ts'

/** A node that is away, in answers that add up caches. */
const Away = Model('AwayNode', {
  node: Text,
  /** Those that the figures lack. */
  datasources: Type.Array(Text),
  sinceUtc: Utc,
})
export type Away = Static<typeof Away>

/** Member of such an answer; absent while every node is connected. */
export const awayMember = { away: Type.Optional(Type.Array(Away)) }
