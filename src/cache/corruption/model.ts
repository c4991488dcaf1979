import { Type, type Static } from '@sinclair/typebox'
import {
  Flag,
  Int,
  Model,
  Nullable,
  OperationStatus,
  Percent,
  Text,
  Utc,
} from '../../core/http/schema.ts'
import {
  Coverage,
  DetectionMethod,
  EffectiveMode,
  MissReport,
  ScanMode,
  ScanSummary,
  StructuralEvidence,
} from '../../engines/cache/corruption/wire.ts'
import { queued } from '../../core/operations/contract.ts'

const Counts = Type.Record(Text, Int)
const Facts = Type.Record(Text, Type.Unknown())

export const DetectionStarted = Model('CorruptionDetectionStarted', {
  ...queued,
  message: Text,
  detectionMethod: DetectionMethod,
  scanMode: Nullable(ScanMode),
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
  detectionMethod: Nullable(DetectionMethod),
  scanMode: Nullable(ScanMode),
  effectiveScanMode: Nullable(EffectiveMode),
  baselineStatus: Nullable(Text),
  resumed: Nullable(Flag),
  scanSummary: Nullable(ScanSummary),
})
export type DetectionStatus = Static<typeof DetectionStatus>

const Settings = Model('CorruptionSettings', {
  threshold: Nullable(Int),
  lookbackDays: Nullable(Int),
  minStableAgeSeconds: Nullable(Int),
  maxPrefixBytes: Nullable(Int),
})
export type Settings = Static<typeof Settings>

export const CachedCorruption = Model('CachedCorruption', {
  hasCachedResults: Flag,
  scanId: Nullable(Text),
  threshold: Nullable(Int),
  lookbackDays: Nullable(Int),
  contractVersion: Nullable(Int),
  detectionMethod: Nullable(DetectionMethod),
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
  scanSummary: Nullable(ScanSummary),
})
export type CachedCorruption = Static<typeof CachedCorruption>

export const ScanHistory = Type.Object({
  scans: Type.Array(
    Type.Object({
      scanId: Text,
      contractVersion: Int,
      detectionMethod: DetectionMethod,
      scanMode: Nullable(ScanMode),
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

export const Candidates = Type.Array(
  Type.Object({
    candidateId: Text,
    datasource: Text,
    service: Text,
    exactPaths: Type.Array(Text),
    evidence: Type.Union([MissReport, StructuralEvidence]),
  }),
)
export type Candidates = Static<typeof Candidates>

export const ServiceRemovalStarted = Model('CorruptionRemovalStarted', {
  ...queued,
  message: Text,
  service: Text,
})

/** The contract's plain message, plus the operation if one was started. */
export const AllRemovalStarted = Type.Object({
  message: Text,
  operationId: Nullable(Text),
  queued: Flag,
})
