import type { Candidate, SavedScan } from '../../engines/cache/corruption/corruption-contract.ts'
import type { CachedCorruption, Candidates, ScanHistory, Settings } from './model.ts'

const settingsOf = ({ settings }: SavedScan): Settings => ({
  threshold: settings['threshold'] ?? null,
  lookbackDays: settings['lookbackDays'] ?? null,
  minStableAgeSeconds: settings['minStableAgeSeconds'] ?? null,
  maxPrefixBytes: settings['maxPrefixBytes'] ?? null,
})

const totalOf = ({ counts }: SavedScan): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0)

export const noResults: CachedCorruption = {
  hasCachedResults: false,
  scanId: null,
  threshold: null,
  lookbackDays: null,
  contractVersion: null,
  detectionMethod: null,
  scanMode: '',
  settings: null,
  corruptionCounts: null,
  detectionCounts: null,
  coverage: null,
  totalServicesWithCorruption: 0,
  totalCorruptedChunks: 0,
  lastDetectionTime: null,
  scanSummary: null,
}

/** What a scan found, as in both answers about saved scans. */
const findingsOf = (scan: SavedScan) => ({
  scanId: scan.id,
  contractVersion: scan.contractVersion,
  detectionMethod: scan.method,
  settings: settingsOf(scan),
  corruptionCounts: scan.counts,
  detectionCounts: { [scan.method]: totalOf(scan) },
  coverage: scan.coverage,
  totalServicesWithCorruption: Object.keys(scan.counts).length,
  totalCorruptedChunks: totalOf(scan),
})

export const cachedOf = (scan: SavedScan): CachedCorruption => ({
  ...findingsOf(scan),
  hasCachedResults: true,
  threshold: scan.settings['threshold'] ?? null,
  lookbackDays: scan.settings['lookbackDays'] ?? null,
  scanMode: scan.mode ?? '',
  lastDetectionTime: new Date(scan.completedAt).toISOString(),
  scanSummary: scan.summary,
})

export const historyEntryOf = (scan: SavedScan): ScanHistory['scans'][number] => ({
  ...findingsOf(scan),
  scanMode: scan.mode,
  isCurrent: scan.isCurrent,
  completedAtUtc: new Date(scan.completedAt).toISOString(),
})

/** The exact log lines are only for removals and are not sent. */
export const candidateOf = (candidate: Candidate): Candidates[number] => ({
  candidateId: candidate.id,
  datasource: candidate.datasource,
  service: candidate.service,
  exactPaths: candidate.exactPaths,
  // The response schema drops undeclared members.
  evidence: candidate.evidence,
})
