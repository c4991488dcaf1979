import { Type } from '@sinclair/typebox'
import { Flag, Int, Nullable, OperationStatus, Percent, Text } from '../../core/http/schema.ts'

export const LogEntriesCount = Type.Object({ count: Int })

/** Names in one request; unknown ones are ignored. */
const tablesMax = 100

export const TablesBody = Type.Object({
  tables: Type.Optional(Type.Array(Type.String({ maxLength: 100 }), { maxItems: tablesMax })),
})

export const ResetStatus = Type.Object({
  isProcessing: Flag,
  status: Nullable(OperationStatus),
  message: Nullable(Text),
  percentComplete: Nullable(Percent),
  operationId: Nullable(Text),
  stageKey: Nullable(Text),
  context: Nullable(Type.Record(Text, Type.Unknown())),
  tablesCleared: Nullable(Int),
  totalTables: Nullable(Int),
  filesDeleted: Nullable(Int),
})
