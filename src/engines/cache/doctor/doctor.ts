import type { Engine } from '../../host.ts'
import type { Doctor } from './doctor-contract.ts'
import type { doctorJobs } from './doctor-jobs.ts'

type Jobs = typeof doctorJobs

/** The main thread's side of `doctorJobs`; `ready` settles when the index is open. */
export function createDoctorEngine(
  engine: Engine<Jobs>,
  { ready, changed }: { ready: () => Promise<void>; changed: () => void },
): Doctor {
  return {
    async object(request) {
      await ready()
      return engine.ask('object', request)
    },
    async tagsOf(request, tags) {
      await ready()
      return engine.ask('tagsOf', { request, tags })
    },
    async purge(request, { signal }) {
      await ready()
      const outcome = await engine.run('purge', request, { signal })
      if (outcome.filesDeleted > 0) changed()
      return outcome
    },
  }
}
