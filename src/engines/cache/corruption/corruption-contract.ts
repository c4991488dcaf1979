import type { CacheSlice, ObservedRange } from '../../log-scan/contract.ts'
import type { LogObservation } from '../../logs/changes/line-filter.ts'
import type { StructuralIssue, WalkDepth, WalkOutcome } from '../contract.ts'
import type { ExactPrint } from '../format/fingerprint.ts'

/** How corrupted files are detected. */
export type DetectionMethod = 'repeated_miss' | 'structural'
export type ScanMode = 'full' | 'incremental'
/** `baseline`: an incremental scan that had no earlier scan to build on and checked everything. */
export type EffectiveMode = ScanMode | 'baseline'

/** Version of the stored scan format; scans of older versions are hidden. */
export const scanContractVersion = 4
/** Scans kept per detection method, the current one included. */
export const scansKept = 3
/** Candidates that one scan stores; any others are only counted. */
export const maxCandidates = 10_000

/** A file that is corrupted, or seems to be. */
export interface Candidate {
  /** Stable: the same file in the same state has the same id in every scan. */
  id: string
  datasource: string
  service: string
  exactPaths: string[]
  evidence: Evidence
}

export interface NewScan {
  id: string
  method: DetectionMethod
  mode: ScanMode | null
  completedAt: number
  settings: Record<string, number | null>
  coverage: Coverage | null
  summary: ScanSummary | null
}

/** A stored scan with its counts. Times in Unix ms. */
export interface SavedScan extends NewScan {
  contractVersion: number
  isCurrent: boolean
  /** Candidates by service. */
  counts: Record<string, number>
}

export interface Coverage {
  filesSeen: number
  filesChecked: number
  consistent: number
  bytesRead: number
  sparseFiles: number
  skippedByReason: Record<string, number>
  ioErrors: number
}

export interface ScanSummary {
  scanMode: ScanMode
  effectiveScanMode: EffectiveMode
  baselineStatus: BaselineStatus
  resumed: boolean
  filesDiscovered: number
  filesProcessed: number
  filesReused: number
  filesInspected: number
  filesRevalidated: number
  invalidFiles: number
  filesPendingRetry: number
  filesPruned: number
  stateEntries: number
  stateCommitted: boolean
  /** Found beyond the number that one scan stores. */
  candidatesNotStored: number
  /** Objects with disagreeing slices that were not compared in detail. */
  objectsNotCompared: number
}

export type BaselineStatus = 'stateless' | 'building' | 'ready' | 'incomplete'

/** Starting point of a structural scan of one tree. */
export interface StructuralStart {
  effectiveMode: EffectiveMode
  depth: WalkDepth
  resumed: boolean
  /** Files of the last walk; the basis for progress. */
  filesExpected: number
  /** Earlier findings; each is checked again. */
  filesRevalidated: number
}

export interface StructuralFindings {
  candidates: Candidate[]
  coverage: Coverage
  stateEntries: number
  invalidFiles: number
  filesPendingRetry: number
  candidatesNotStored: number
  objectsNotCompared: number
}

export interface CandidateRemoval {
  state: 'complete' | 'cancelled' | 'failed'
  /** Why nothing (more) was removed, as text. */
  problem: string | null
  filesDeleted: number
  alreadyMissing: number
  /** Consistent again or stored anew, so they stay. */
  healed: number
  /** Ids of candidates of which a file healed. */
  kept: string[]
}

export interface CandidateProgress {
  filesDone: number
  filesTotal: number
  /** `checking`: all files are checked before the first one is removed. */
  pass: 'checking' | 'removing'
}

interface Run<P> {
  signal: AbortSignal
  progress(report: P): void
}

/** Corrupted files: this feature's part of the cache engine's worker. */
export interface Corruption {
  beginStructural(datasource: string, mode: ScanMode): Promise<StructuralStart>
  /** After the walk: findings with evidence. Reads the suspicious files once more. */
  structuralFindings(
    input: { datasource: string; walk: WalkOutcome },
    run: Run<CandidateProgress>,
  ): Promise<StructuralFindings>
  endStructural(datasource: string, isComplete: boolean): Promise<void>
  /** Makes the new scan the current one of its method; drops the oldest beyond three. */
  saveScan(scan: NewScan, candidates: Candidate[]): Promise<void>
  /** All stored scans, newest first. */
  scans(): Promise<SavedScan[]>
  /** Null: all services. */
  candidates(scanId: string, service: string | null): Promise<Candidate[]>
  /** False: there is no such scan. */
  deleteScan(scanId: string): Promise<boolean>
  /** After files, downloads or logs were removed: a current scan may no longer be true. */
  demoteScans(input: { methods: DetectionMethod[] }): Promise<void>
  /** After the cache was cleared: no finding exists any more. */
  clearScans(): Promise<void>
  /** Drops candidates from their scan after their files were removed. */
  dropCandidates(scanId: string, ids: string[]): Promise<void>
  /**
   * Removes files of structural candidates. Checks all of them first, and each again right before
   * its unlink. Fails at a file that is neither gone, nor consistent, nor exactly as found.
   */
  removeStructural(candidates: Candidate[], run: Run<CandidateProgress>): Promise<CandidateRemoval>
  /**
   * Likewise for candidates found by repeated misses. A file that was stored anew since the scan
   * counts as healed.
   */
  removeMissed(candidates: Candidate[], run: Run<CandidateProgress>): Promise<CandidateRemoval>
}

/** Facts in which all slices of an object must agree. */
export const sliceFacts = ['etag', 'lastModified', 'totalLength'] as const
export type SliceFact = (typeof sliceFacts)[number]

/** Evidence of a repeatedly missed object as stored; the exact log lines are never sent. */
export interface MissEvidence {
  kind: 'repeated_miss'
  rawUrl: string
  normalizedUri: string
  observedRange: ObservedRange
  cacheSlice: CacheSlice
  evidenceCount: number
  /** Times in ISO-8601 UTC. */
  firstSeen: string
  lastSeen: string
  observations: {
    rawUrl: string
    timestamp: string
    clientIp: string
    method: string
    httpStatus: number
    cacheStatus: string
    rawRange: string | null
    bytesServed: number
  }[]
  /** The log lines themselves, so that exactly those can be removed. */
  lines: LogObservation[]
  /** Of each path, so that exactly those files are removed; missing in scans of older versions. */
  prints?: ExactPrint[]
}

export type Evidence = MissEvidence | StructuralEvidence

/** Evidence of a structural candidate as stored and sent. */
export interface StructuralEvidence {
  kind: 'structural'
  issues: StructuralIssue[]
  cacheKeyEncoding: 'hex'
  /** Raw bytes of the key; null if not found. */
  cacheKey: string | null
  cacheKeyMd5: string | null
  /** The key as readable text. */
  cacheKeyText: string | null
  cacheVersion: 5
  httpStatus: number | null
  headerStart: number | null
  bodyStart: number | null
  fileLength: number
  actualPayloadLength: number | null
  expectedPayloadLength: number | null
  contentLength: number | null
  contentRange: string | null
  fingerprint: ExactPrint
  detectedAtUtc: string
  /** Only for slices that disagree with others of their object. */
  disagreement: DisagreementEvidence | null
}

export interface StatedFacts {
  etag: string | null
  /** Unix seconds. */
  lastModifiedAt: number | null
  totalLength: number | null
}

export interface DisagreementEvidence {
  fields: SliceFact[]
  own: StatedFacts
  /** What other slices state, most frequent first; at most eight. */
  siblings: (StatedFacts & { slices: number; sampleMd5: string; sliceStart: number })[]
  slicesCompared: number
}
