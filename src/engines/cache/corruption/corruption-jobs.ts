import type { JobContext } from '../../engine.ts'
import { removeMissed, removeStructural } from './candidates.ts'
import type { WalkOutcome } from '../contract.ts'
import type {
  Candidate,
  CandidateProgress,
  CandidateRemoval,
  NewScan,
  SavedScan,
  StructuralFindings,
  StructuralStart,
} from './corruption-contract.ts'
import type { DetectionMethod, ScanMode } from './wire.ts'
import {
  clearScans,
  deleteScan,
  demoteScans,
  dropCandidates,
  listCandidates,
  listScans,
  saveScan,
} from './scans.ts'
import { cacheSession } from '../index/session.ts'
import { beginStructural, endStructural, findStructural } from './structural-scan.ts'
import { TreeProblem } from '../index/tree.ts'

/** A disk that fails midway fails the run, not the engine. */
async function removing(run: () => Promise<CandidateRemoval>): Promise<CandidateRemoval> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof TreeProblem)) throw error
    const nothing = { filesDeleted: 0, alreadyMissing: 0, healed: 0, kept: [] }
    return { state: 'failed', problem: error.message, ...nothing }
  }
}

/** Jobs for corrupted files and the scans that find them. */
export const corruptionJobs = {
  beginStructural: (input: { datasource: string; mode: ScanMode }): StructuralStart =>
    beginStructural(cacheSession(), { ...input, nowMs: Date.now() }),

  structuralFindings: (
    input: { datasource: string; walk: WalkOutcome },
    context: JobContext<CandidateProgress>,
  ): Promise<StructuralFindings> =>
    findStructural(cacheSession(), { ...input, nowMs: Date.now() }, context),

  endStructural: (input: { datasource: string; isComplete: boolean }): void =>
    endStructural(cacheSession(), { ...input, nowMs: Date.now() }),

  saveScan: (input: { scan: NewScan; candidates: Candidate[] }): void =>
    saveScan(cacheSession().store, input.scan, input.candidates),

  scans: (_nothing: null): SavedScan[] => listScans(cacheSession().store),

  candidates: (input: { scanId: string; service: string | null }): Candidate[] =>
    listCandidates(cacheSession().store, input.scanId, input.service),

  deleteScan: (id: string): boolean => deleteScan(cacheSession().store, id),

  demoteScans: (methods: DetectionMethod[]): void => demoteScans(cacheSession().store, methods),

  clearScans: (_nothing: null): void => clearScans(cacheSession().store),

  dropCandidates: (input: { scanId: string; ids: string[] }): void =>
    dropCandidates(cacheSession().store, input.scanId, input.ids),

  removeStructural: (
    candidates: Candidate[],
    context: JobContext<CandidateProgress>,
  ): Promise<CandidateRemoval> =>
    removing(() => removeStructural(cacheSession(), candidates, context)),

  removeMissed: (
    candidates: Candidate[],
    context: JobContext<CandidateProgress>,
  ): Promise<CandidateRemoval> => removing(() => removeMissed(cacheSession(), candidates, context)),
}
