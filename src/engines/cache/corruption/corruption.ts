import type { Engine } from '../../host.ts'
import type { CandidateProgress, Corruption } from './corruption-contract.ts'
import type { corruptionJobs } from './corruption-jobs.ts'

type Jobs = typeof corruptionJobs

/** The main thread's side of `corruptionJobs`; `ready` settles when the index is open. */
export function createCorruption(engine: Engine<Jobs>, ready: () => Promise<void>): Corruption {
  const run: Engine<Jobs>['run'] = async (job, input, options) => {
    await ready()
    return engine.run(job, input, options)
  }
  const ask: Engine<Jobs>['ask'] = async (job, input) => {
    await ready()
    return engine.ask(job, input)
  }
  // The jobs report exactly this shape, as plain data across the thread.
  const options = (of: { signal: AbortSignal; progress(report: CandidateProgress): void }) => ({
    signal: of.signal,
    progress: (report: object) => of.progress(report as CandidateProgress),
  })
  return {
    beginStructural: (datasource, mode) => run('beginStructural', { datasource, mode }),
    structuralFindings: (input, of) => run('structuralFindings', input, options(of)),
    endStructural: (datasource, isComplete) => run('endStructural', { datasource, isComplete }),
    saveScan: (scan, candidates) => run('saveScan', { scan, candidates }),
    scans: () => ask('scans', null),
    candidates: (scanId, service) => ask('candidates', { scanId, service }),
    deleteScan: (id) => run('deleteScan', id),
    demoteScans: ({ methods }) => run('demoteScans', methods),
    clearScans: () => run('clearScans', null),
    dropCandidates: (scanId, ids) => run('dropCandidates', { scanId, ids }),
    removeStructural: (candidates, of) => run('removeStructural', candidates, options(of)),
    removeMissed: (candidates, of) => run('removeMissed', candidates, options(of)),
  }
}
