import type { Engine } from '../../host.ts'
import type { Corruption } from './corruption-contract.ts'
import type { corruptionJobs } from './corruption-jobs.ts'

type Jobs = typeof corruptionJobs

/** The main thread's side of `corruptionJobs`. */
export function createCorruption(engine: Pick<Engine<Jobs>, 'run' | 'ask'>): Corruption {
  return {
    beginStructural: (datasource, mode) => engine.run('beginStructural', { datasource, mode }),
    structuralFindings: (input, of) => engine.run('structuralFindings', input, of),
    endStructural: (datasource, isComplete) =>
      engine.run('endStructural', { datasource, isComplete }),
    saveScan: (scan, candidates) => engine.run('saveScan', { scan, candidates }),
    scans: () => engine.ask('scans', null),
    candidates: (scanId, service) => engine.ask('candidates', { scanId, service }),
    deleteScan: (id) => engine.run('deleteScan', id),
    demoteScans: ({ methods }) => engine.run('demoteScans', methods),
    clearScans: () => engine.run('clearScans', null),
    dropCandidates: (scanId, ids) => engine.run('dropCandidates', { scanId, ids }),
    removeStructural: (candidates, of) => engine.run('removeStructural', candidates, of),
    removeMissed: (candidates, of) => engine.run('removeMissed', candidates, of),
  }
}
