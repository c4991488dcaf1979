import { Type } from '@sinclair/typebox'
import { Model, Nullable, Text, Utc } from '../core/http/schema.ts'
import { stringUnion } from '../core/http/string-union.ts'
import { nodeRefusals, nodeStates } from './contract.ts'

const nameMax = 60

export const NodeBody = Type.Object({
  name: Type.String({ minLength: 1, maxLength: nameMax, pattern: '\\S' }),
})

export const NodeModel = Model('Node', {
  id: Text,
  name: Text,
  state: stringUnion(nodeStates),
  /** When that state began. */
  sinceUtc: Utc,
  /** Of its program and where it connected from, as of its last connection. */
  version: Nullable(Text),
  address: Nullable(Text),
  /** Until when it can join with its token; null: there is no unused token. */
  tokenExpiresAtUtc: Nullable(Utc),
  /** Which side has to be updated. */
  refusal: Nullable(stringUnion(nodeRefusals)),
})
export const NodeList = Type.Object({ items: Type.Array(NodeModel) })
/** The token is only in this answer. */
export const NodeInvitation = Model('NodeInvitation', { token: Text, ...NodeModel.properties })
