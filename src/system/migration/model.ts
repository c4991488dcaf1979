import { Type } from '@sinclair/typebox'
import { Flag, Int, Nullable, OperationStatus, Percent, Text } from '../../core/http/schema.ts'

/** Longest connection string, in characters. */
const connectionMax = 2000
/** Rows read, compared and written in one transaction. */
export const batchRows = { usual: 1000, most: 10_000 }

const ConnectionString = Type.Optional(
  Type.String({
    maxLength: connectionMax,
    description: 'Host=…;Port=5432;Database=…;Username=…;Password=…',
  }),
)

export const ConnectionQuery = Type.Object({ connectionString: ConnectionString })

export const ConnectionCheck = Type.Object({
  valid: Flag,
  message: Text,
  recordCount: Nullable(Int),
})

export const ImportBody = Type.Object({
  connectionString: ConnectionString,
  batchSize: Type.Optional(Nullable(Type.Integer({ minimum: 1, maximum: batchRows.most }))),
  overwriteExisting: Type.Optional(Flag),
})

export const ImportOutcome = Type.Object({
  message: Text,
  totalRecords: Int,
  imported: Int,
  skipped: Int,
  errors: Int,
})

export const ImportStatus = Type.Object({
  isProcessing: Flag,
  status: Nullable(OperationStatus),
  message: Nullable(Text),
  percentComplete: Nullable(Percent),
  operationId: Nullable(Text),
  stageKey: Nullable(Text),
  context: Nullable(Type.Record(Text, Type.Unknown())),
})
