import type { Watch } from '../../engine.ts'
import type { LogObservation } from '../../logs/changes/line-filter.ts'
import type { WalkDepth, WalkOutcome } from '../contract.ts'
import type { ExactPrint } from '../format/fingerprint.ts'
import type {
  Coverage,
  DetectionMethod,
  EffectiveMode,
  MissReport,
  ScanMode,
  ScanSummary,
  StructuralEvidence,
} from './wire.ts'

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

export const nothingRemoved = (): CandidateRemoval => ({
  state: 'complete',
  problem: null,
  filesDeleted: 0,
  alreadyMissing: 0,
  healed: 0,
  kept: [],
})

export interface CandidateProgress {
  filesDone: number
  filesTotal: number
  /** `checking`: all files are checked before the first one is removed. */
  pass: 'checking' | 'removing'
}

/** Corrupted files: this feature's part of the cache engine's worker. */
export interface Corruption {
  beginStructural(datasource: string, mode: ScanMode): Promise<StructuralStart>
  /** After the walk: findings with evidence. Reads the suspicious files once more. */
  structuralFindings(
    input: { datasource: string; walk: WalkOutcome },
    run: Watch<CandidateProgress>,
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
  removeStructural(
    candidates: Candidate[],
    run: Watch<CandidateProgress>,
  ): Promise<CandidateRemoval>
  /**
   * Likewise for candidates found by repeated misses. A file that was stored anew since the scan
   * counts as healed.
   */
  removeMissed(candidates: Candidate[], run: Watch<CandidateProgress>): Promise<CandidateRemoval>
}

/** Evidence of a repeatedly missed object as stored; the exact log lines are never sent. */
export interface MissEvidence extends MissReport {
  /** The log lines themselves, so that exactly those can be removed. */
  lines: LogObservation[]
  /** Of each path, so that exactly those files are removed; missing in scans of older versions. */
  prints?: ExactPrint[]
}

export type Evidence = MissEvidence | StructuralEvidence
