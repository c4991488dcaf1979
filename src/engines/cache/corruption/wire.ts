import { Type, type Static } from '@sinclair/typebox'
import {
  Bytes,
  Flag,
  Int,
  Model,
  Nullable,
  stringUnion,
  Text,
  Utc,
} from '../../../core/lib/schema.ts'
import type { CacheSlice, ObservedRange } from '../../log-scan/contract.ts'
import { sliceFacts, structuralIssues } from '../contract.ts'

/*
 * Scans for corrupted files as they are stored and sent. Workers import only types from here, so
 * that they do not load TypeBox.
 */

/** How corrupted files are detected. */
export const DetectionMethod = stringUnion(['repeated_miss', 'structural'])
export type DetectionMethod = Static<typeof DetectionMethod>
export const ScanMode = stringUnion(['full', 'incremental'])
export type ScanMode = Static<typeof ScanMode>
/** `baseline`: an incremental scan that had no earlier scan to build on and checked everything. */
export const EffectiveMode = stringUnion(['full', 'incremental', 'baseline'])
export type EffectiveMode = Static<typeof EffectiveMode>

export const Coverage = Model('CorruptionCoverage', {
  filesSeen: Int,
  filesChecked: Int,
  consistent: Int,
  bytesRead: Int,
  sparseFiles: Int,
  skippedByReason: Type.Record(Text, Int),
  ioErrors: Int,
})
export type Coverage = Static<typeof Coverage>

export const ScanSummary = Model('CorruptionSummary', {
  scanMode: ScanMode,
  effectiveScanMode: EffectiveMode,
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
  /** Found beyond the number that one scan stores. */
  candidatesNotStored: Int,
  /** Objects with disagreeing slices that were not compared in detail. */
  objectsNotCompared: Int,
})
export type ScanSummary = Static<typeof ScanSummary>

const CorruptSlice = Model('CorruptSlice', {
  kind: stringUnion(['no_range', 'noslice', 'inclusive', 'ranged']),
  start: Type.Optional(Int),
  end: Type.Optional(Int),
})

/** A repeatedly missed object. */
export const MissReport = Model('MissEvidence', {
  kind: Type.Literal('repeated_miss'),
  rawUrl: Text,
  normalizedUri: Text,
  observedRange: Type.Unsafe<ObservedRange>(CorruptSlice),
  cacheSlice: Type.Unsafe<CacheSlice>(CorruptSlice),
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
export type MissReport = Static<typeof MissReport>

export const FileOffset = Type.Integer({ description: 'Offset in the file, in bytes' })
export const ObjectOffset = Type.Integer({ description: 'Offset in the object, in bytes' })

const stated = {
  etag: Nullable(Text),
  /** Unix seconds. */
  lastModifiedAt: Nullable(Int),
  totalLength: Nullable(Bytes),
}
const StatedFacts = Type.Object(stated)
export type StatedFacts = Static<typeof StatedFacts>

const DisagreementEvidence = Type.Object({
  fields: Type.Array(stringUnion(sliceFacts)),
  own: StatedFacts,
  /** What other slices state, most frequent first; at most eight. */
  siblings: Type.Array(
    Type.Object({ ...stated, slices: Int, sampleMd5: Text, sliceStart: ObjectOffset }),
  ),
  slicesCompared: Int,
})
export type DisagreementEvidence = Static<typeof DisagreementEvidence>

/** Evidence of a structural candidate. */
export const StructuralEvidence = Model('StructuralEvidence', {
  kind: Type.Literal('structural'),
  issues: Type.Array(stringUnion(structuralIssues)),
  cacheKeyEncoding: Type.Literal('hex'),
  /** Raw bytes of the key; null if not found. */
  cacheKey: Nullable(Text),
  cacheKeyMd5: Nullable(Text),
  /** The key as readable text. */
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
  fingerprint: Type.Object({ dev: Text, ino: Text, len: Int, mtimeNs: Text, ctimeNs: Text }),
  detectedAtUtc: Utc,
  /** Only for slices that disagree with others of their object. */
  disagreement: Nullable(DisagreementEvidence),
})
export type StructuralEvidence = Static<typeof StructuralEvidence>
