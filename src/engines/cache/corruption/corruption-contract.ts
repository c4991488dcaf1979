import type { StructuralIssue, WalkDepth, WalkOutcome } from '../contract.ts'

/** How broken pieces are found. */
export type DetectionMethod = 'repeated_miss' | 'structural'
export type ScanMode = 'full' | 'incremental'
/** `baseline`: an incremental scan that had nothing to build on and looked at everything. */
export type EffectiveMode = ScanMode | 'baseline'

/** Version of what a scan stores; older ones are not shown. */
export const scanContractVersion = 4
/** Scans that are kept of each method, the current one included. */
export const scansKept = 3
/** Candidates that one scan stores; further ones are counted only. */
export const maxCandidates = 10_000

/** A piece that is broken, or seems to be. */
export interface Candidate {
  /** Stable: the same piece in the same state has the same id in every scan. */
  id: string
  datasource: string
  service: string
  exactPaths: string[]
  evidence: Record<string, unknown>
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
  /** Found beyond what one scan stores. */
  candidatesNotStored: number
  /** Objects whose slices disagree that were not looked at more closely. */
  objectsNotCompared: number
}

export type BaselineStatus = 'stateless' | 'building' | 'ready' | 'incomplete'

/** What a structural scan of one tree begins with. */
export interface StructuralStart {
  effectiveMode: EffectiveMode
  depth: WalkDepth
  resumed: boolean
  /** Files of the last walk; what progress is told of. */
  filesExpected: number
  /** Earlier findings, all of which are looked at again. */
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
  /** Why nothing (more) was removed, for people. */
  problem: string | null
  filesDeleted: number
  alreadyMissing: number
  /** Consistent by now, so they stay. */
  healed: number
}

export interface CandidateProgress {
  filesDone: number
  filesTotal: number
  /** `checking`: all are looked at before the first one is removed. */
  pass: 'checking' | 'removing'
}

interface Run<P> {
  signal: AbortSignal
  progress(report: P): void
}

/** Broken pieces of the cache; its part of the cache engine's worker. */
export interface Corruption {
  beginStructural(datasource: string, mode: ScanMode): Promise<StructuralStart>
  /** After the walk: what was found, with evidence. Reads those files once more. */
  structuralFindings(
    input: { datasource: string; walk: WalkOutcome },
    run: Run<CandidateProgress>,
  ): Promise<StructuralFindings>
  endStructural(datasource: string, isComplete: boolean): Promise<void>
  /** The new scan is the current one of its method; the oldest beyond three are dropped. */
  saveScan(scan: NewScan, candidates: Candidate[]): Promise<void>
  /** All that are kept, newest first. */
  scans(): Promise<SavedScan[]>
  /** Null: all services. */
  candidates(scanId: string, service: string | null): Promise<Candidate[]>
  /** False: unknown. */
  deleteScan(scanId: string): Promise<boolean>
  /** Files, downloads or logs were removed: what was current may not be true any more. */
  demoteScans(input: { methods: DetectionMethod[] }): Promise<void>
  /** The cache was cleared: nothing that was found is there any more. */
  clearScans(): Promise<void>
  /** Candidates that were removed from the cache leave their scan. */
  dropCandidates(scanId: string, ids: string[]): Promise<void>
  /**
   * Removes files of structural candidates. All are checked first; each again right before it is
   * unlinked. A file that is neither gone, nor consistent, nor exactly as it was found fails the
   * run.
   */
  removeStructural(candidates: Candidate[], run: Run<CandidateProgress>): Promise<CandidateRemoval>
  /** Removes exactly the paths of candidates that were found by repeated misses. */
  removeMissed(candidates: Candidate[], run: Run<CandidateProgress>): Promise<CandidateRemoval>
}

/** Facts in which all slices of one object have to agree. */
export const sliceFacts = ['etag', 'lastModified', 'totalLength'] as const
export type SliceFact = (typeof sliceFacts)[number]

/** Evidence of a structural candidate as it is stored and sent. */
export interface StructuralEvidence {
  kind: 'structural'
  issues: StructuralIssue[]
  cacheKeyEncoding: 'hex'
  /** Raw bytes of the key; null when they could not be found. */
  cacheKey: string | null
  cacheKeyMd5: string | null
  /** The key for people. */
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

/** 64-bit values as texts, because JSON numbers lose their last digits. */
export interface ExactPrint {
  dev: string
  ino: string
  len: number
  mtimeNs: string
  ctimeNs: string
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
  /** What other slices say, most of them first; at most eight. */
  siblings: (StatedFacts & { slices: number; sampleMd5: string; sliceStart: number })[]
  slicesCompared: number
}
