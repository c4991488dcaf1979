import { Type, type Static } from '@sinclair/typebox'
import { Flag, Int, LargeInt, Model, Nullable, Percent, Text } from '../../core/http/schema.ts'
import { sourceProblems } from '../../engines/logs/contract.ts'
import { uncountedReasons } from '../../engines/log-scan/count-contract.ts'
import { stringUnion } from '../../core/http/string-union.ts'

const LinesRead = Type.Integer({
  ...LargeInt,
  description: 'Lines of the log files that were read',
})
const Megabytes = Type.Number({ description: 'Megabytes' })

export const LogInfo = Type.Object({ path: Text, exists: Flag })

export const SourcePositions = Model('SourcePositions', {
  datasource: Text,
  position: LinesRead,
  totalLines: Int,
  totalLinesPartial: Flag,
  logPath: Text,
  enabled: Flag,
  layout: stringUnion(['monolithic', 'bare_metal', 'mixed']),
  sourceCount: Int,
  sourcePositions: Type.Record(Text, Int),
  unparsedLines: Int,
  hintlessHttpDetailedLines: Int,
  invalidEncodingLines: Int,
  skippedFallbackLines: Int,
  overlongLines: Int,
  ignoredLines: Int,
  impossibleTimeLines: Int,
  impossibleCountLines: Int,
  incompleteFinalRecords: Int,
  filesWithErrors: Type.Array(Text),
  lastRunTerminalStatus: stringUnion([
    '',
    'completed',
    'completed_with_warnings',
    'partial',
    'failed',
    'cancelled',
  ]),
  missingSourcesMessage: Nullable(Text),
  problem: stringUnion(sourceProblems),
  backlogBytes: Int,
})

export const PositionChange = Model('LogPositionChange', {
  position: Type.Optional(Nullable(LinesRead)),
  reset: Type.Optional(Nullable(Flag)),
})
export type PositionChange = Static<typeof PositionChange>

export const LogPositionResponse = Model('LogPositionResponse', {
  message: Text,
  position: LinesRead,
})

/** Members of OperationResponse and QueuedOperationResponse together. */
export const ProcessStarted = Model('LogProcessStarted', {
  message: Text,
  operationId: Text,
  status: stringUnion(['running', 'waiting']),
  queued: Flag,
  alreadyRunning: Flag,
})
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
