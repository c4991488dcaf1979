import { startedJob } from '../../core/operations/contract.ts'
import { Type, type Static } from '@sinclair/typebox'
import { Flag, Int, Model, Nullable, Percent, Text } from '../../core/http/schema.ts'
import { LinesRead } from '../../engines/logs/wire.ts'
import { uncountedReasons } from '../../engines/log-scan/count-contract.ts'
import { stringUnion } from '../../core/http/string-union.ts'

const Megabytes = Type.Number({ description: 'Megabytes' })

export const LogInfo = Type.Object({ path: Text, exists: Flag })

export const PositionChange = Model('LogPositionChange', {
  // 0 is the beginning, and everything else the end.
  position: Type.Optional(
    Nullable(Type.Integer({ ...LinesRead, minimum: -Number.MAX_SAFE_INTEGER })),
  ),
  reset: Type.Optional(Nullable(Flag)),
})
export type PositionChange = Static<typeof PositionChange>

export const LogPositionResponse = Model('LogPositionResponse', {
  message: Text,
  position: LinesRead,
})

export const ProcessStarted = Model('LogProcessStarted', startedJob)
export type ProcessStarted = Static<typeof ProcessStarted>

export const ProcessStatus = Model('LogProcessStatus', {
  isProcessing: Flag,
  silentMode: Flag,
  status: Text,
  operationId: Nullable(Text),
  percentComplete: Nullable(Percent),
  mbProcessed: Nullable(Megabytes),
  mbTotal: Nullable(Megabytes),
  entriesProcessed: Nullable(Int),
  totalLines: Nullable(Int),
  stageKey: Nullable(Text),
})
export type ProcessStatus = Static<typeof ProcessStatus>

export const ServiceCounts = Type.Record(Text, Int)

export const DatasourceCounts = Model('DatasourceCounts', {
  datasource: Text,
  logsPath: Text,
  logsWritable: Flag,
  enabled: Flag,
  serviceCounts: ServiceCounts,
  /** Lines of services beyond the first thousand. */
  otherLines: Int,
  unreadableLines: Int,
  /** Files that could not be counted; a null `file` means the whole folder. */
  leftOut: Type.Array(
    Type.Object({ file: Nullable(Text), reason: stringUnion([...uncountedReasons]) }),
  ),
})
