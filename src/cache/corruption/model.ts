import { Type, type Static } from '@sinclair/typebox'
import {
  Bytes,
  Flag,
  Int,
  Model,
  Nullable,
  OperationStatus,
  Percent,
  Text,
  Utc,
} from '../../core/http/schema.ts'
import { structuralIssues } from '../../engines/cache/contract.ts'
import { sliceFacts } from '../../engines/cache/corruption/corruption-contract.ts'
import { stringUnion } from '../../core/http/string-union.ts'

const Method = stringUnion(['repeated_miss', 'structural'])
const Mode = stringUnion(['full', 'incremental'])
const Counts = Type.Record(Text, Int)
const Facts = Type.Record(Text, Type.Unknown())

/** Members of QueuedOperationResponse, and what was asked for. */
export const DetectionStarted = Model('CorruptionDetectionStarted', {
  operationId: Text,
  queued: Flag,
  alreadyRunning: Flag,
  status: Text,
  message: Text,
  detectionMethod: Method,
  scanMode: Nullable(Mode),
})

const Summary = Model('CorruptionSummary', {
  scanMode: Mode,
  effectiveScanMode: stringUnion(['full', 'incremental', 'baseline']),
  baselineStatus: stringUnion(['stateless', 'building', 'ready', 'incomplete']),
  resumed: Flag,
  filesDiscovered: Int,
  filesProcessed: Int,
  filesReused: Int,
  filesInspected: Int,
  filesRevalidated: Int,
  invalidFiles: Int,
  filesPendingRetry: Int,
  filesPruned: Int,
  stateEntries: Int,
  stateCommitted: Flag,
  candidatesNotStored: Int,
  objectsNotCompared: Int,
})

export const DetectionStatus = Model('CorruptionDetectionStatus', {
  isRunning: Flag,
  operationId: Nullable(Text),
  status: Nullable(OperationStatus),
  message: Nullable(Text),
  stageKey: Nullable(Text),
  context: Facts,
  percentComplete: Nullable(Percent),
  startTime: Nullable(Utc),
  detectionMethod: Nullable(Method),
  scanMode: Nullable(Mode),
  effectiveScanMode: Nullable(stringUnion(['full', 'incremental', 'baseline'])),
  baselineStatus: Nullable(Text),
  resumed: Nullable(Flag),
  scanSummary: Nullable(Summary),
})
export type DetectionStatus = Static<typeof DetectionStatus>

const Settings = Model('CorruptionSettings', {
  threshold: Nullable(Int),
  lookbackDays: Nullable(Int),
  minStableAgeSeconds: Nullable(Int),
  maxPrefixBytes: Nullable(Int),
})
export type Settings = Static<typeof Settings>

const Coverage = Model('CorruptionCoverage', {
  filesSeen: Int,
  filesChecked: Int,
  consistent: Int,
  bytesRead: Int,
  sparseFiles: Int,
  skippedByReason: Counts,
  ioErrors: Int,
})

export const CachedCorruption = Model('CachedCorruption', {
  hasCachedResults: Flag,
  scanId: Nullable(Text),
  threshold: Nullable(Int),
  lookbackDays: Nullable(Int),
  contractVersion: Nullable(Int),
  detectionMethod: Nullable(Method),
  /** Empty when not applicable. */
  scanMode: Text,
  settings: Nullable(Settings),
  corruptionCounts: Nullable(Counts),
  detectionCounts: Nullable(Counts),
  coverage: Nullable(Coverage),
  totalServicesWithCorruption: Int,
  totalCorruptedChunks: Int,
  lastDetectionTime: Nullable(Utc),
  /** What the scan covered; null for repeated misses. */
  scanSummary: Nullable(Summary),
})
export type CachedCorruption = Static<typeof CachedCorruption>

export const ScanHistory = Type.Object({
  scans: Type.Array(
    Type.Object({
      scanId: Text,
      contractVersion: Int,
      detectionMethod: Method,
      scanMode: Nullable(Mode),
      isCurrent: Flag,
      completedAtUtc: Utc,
      settings: Settings,
      corruptionCounts: Counts,
      detectionCounts: Counts,
      coverage: Nullable(Coverage),
      totalServicesWithCorruption: Int,
      totalCorruptedChunks: Int,
    }),
  ),
})
export type ScanHistory = Static<typeof ScanHistory>

const CorruptSlice = Model('CorruptSlice', {
  kind: stringUnion(['no_range', 'noslice', 'inclusive', 'ranged']),
  start: Type.Optional(Int),
  end: Type.Optional(Int),
})

const MissEvidence = Model('MissEvidence', {
  kind: Type.Literal('repeated_miss'),
  rawUrl: Text,
  normalizedUri: Text,
  observedRange: CorruptSlice,
  cacheSlice: CorruptSlice,
  evidenceCount: Int,
  firstSeen: Utc,
  lastSeen: Utc,
  observations: Type.Array(
    Type.Object({
      rawUrl: Text,
      timestamp: Utc,
      clientIp: Text,
      method: Text,
      httpStatus: Int,
      cacheStatus: Text,
      rawRange: Nullable(Text),
      bytesServed: Int,
    }),
  ),
})

export const FileOffset = Type.Integer({ description: 'Offset in the file, in bytes' })
export const ObjectOffset = Type.Integer({ description: 'Offset in the object, in bytes' })

const stated = {
  etag: Nullable(Text),
  lastModifiedAt: Nullable(Int),
  totalLength: Nullable(Bytes),
}

const StructuralEvidence = Model('StructuralEvidence', {
  kind: Type.Literal('structural'),
  issues: Type.Array(stringUnion(structuralIssues)),
  cacheKeyEncoding: Type.Literal('hex'),
  cacheKey: Nullable(Text),
  cacheKeyMd5: Nullable(Text),
  cacheKeyText: Nullable(Text),
  cacheVersion: Int,
  httpStatus: Nullable(Int),
  headerStart: Nullable(FileOffset),
  bodyStart: Nullable(FileOffset),
  fileLength: Bytes,
  actualPayloadLength: Nullable(Bytes),
  expectedPayloadLength: Nullable(Bytes),
  contentLength: Nullable(Bytes),
  contentRange: Nullable(Text),
  fingerprint: Type.Object({
    dev: Text,
    ino: Text,
    len: Int,
    mtimeNs: Text,
    ctimeNs: Text,
  }),
  detectedAtUtc: Utc,
  disagreement: Nullable(
    Type.Object({
      fields: Type.Array(stringUnion(sliceFacts)),
      own: Type.Object(stated),
      siblings: Type.Array(
        Type.Object({ ...stated, slices: Int, sampleMd5: Text, sliceStart: ObjectOffset }),
      ),
      slicesCompared: Int,
    }),
  ),
})

export const Candidates = Type.Array(
  Type.Object({
    candidateId: Text,
    datasource: Text,
    service: Text,
    exactPaths: Type.Array(Text),
    evidence: Type.Union([MissEvidence, StructuralEvidence]),
  }),
)
export type Candidates = Static<typeof Candidates>

export const ServiceRemovalStarted = Model('CorruptionRemovalStarted', {
  operationId: Text,
  queued: Flag,
  alreadyRunning: Flag,
  status: Text,
  message: Text,
  service: Text,
})

/** The contract's plain message, plus the operation if one was started. */
export const AllRemovalStarted = Type.Object({
  message: Text,
  operationId: Nullable(Text),
  queued: Flag,
})
