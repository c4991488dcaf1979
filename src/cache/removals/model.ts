import { awayMember } from '../../engines/remote/wire.ts'
import { queued } from '../../core/operations/contract.ts'
import { Type, type Static } from '@sinclair/typebox'
import { Flag, Int, Model, Nullable, OperationStatus, Text } from '../../core/http/schema.ts'
import { stringUnion } from '../../core/http/string-union.ts'

const begun = {
  ...queued,
  status: Text,
  message: Text,
}

export const GameRemovalStarted = Model('GameRemovalStarted', {
  ...begun,
  appId: Text,
  gameName: Text,
})
export type GameRemovalStarted = Static<typeof GameRemovalStarted>

export const ServiceRemovalStarted = Model('ServiceRemovalStarted', {
  ...begun,
  serviceName: Text,
})

const active = {
  operationId: Text,
  status: OperationStatus,
  message: Nullable(Text),
  startedAt: Nullable(Text),
}
const freed = { filesDeleted: Int, bytesFreed: Int }

export const ActiveRemovals = Type.Object({
  isProcessing: Flag,
  gameRemovals: Type.Array(
    Type.Object({
      gameAppId: Nullable(Int),
      betaAppId: Nullable(Text),
      entityKind: Text,
      gameName: Text,
      ...active,
      ...freed,
    }),
  ),
  serviceRemovals: Type.Array(Type.Object({ serviceName: Text, ...active, ...freed })),
  corruptionRemovals: Type.Array(
    Type.Object({ service: Text, ...active, detectionMethod: Nullable(Text) }),
  ),
  evictionRemovals: Type.Array(
    Type.Object({
      scope: Nullable(Text),
      key: Nullable(Text),
      gameName: Nullable(Text),
      ...active,
    }),
  ),
})
export type ActiveRemovals = Static<typeof ActiveRemovals>

export const PreviewBody = Type.Object({
  kind: stringUnion(['alpha', 'beta', 'named', 'service']),
  appId: Type.Optional(Type.Integer({ minimum: 1 })),
  gameName: Type.Optional(Type.String({ maxLength: 300 })),
  service: Type.Optional(Type.String({ maxLength: 200 })),
})
export type PreviewBody = Static<typeof PreviewBody>

/** What a removal would take, after the index. */
export const RemovalPreview = Model('RemovalPreview', {
  gameName: Text,
  files: Int,
  bytes: Int,
  depotIds: Type.Array(Int),
  /** Depots of the game that stay, because other games use them too. */
  sharedDepots: Type.Array(
    Type.Object({
      depotId: Int,
      usedBy: Type.Array(Type.Object({ appId: Int, gameName: Text })),
      usedByCount: Int,
    }),
  ),
  datasources: Type.Array(Type.Object({ datasource: Text, files: Int, bytes: Int })),
  ...awayMember,
})
export type RemovalPreview = Static<typeof RemovalPreview>
