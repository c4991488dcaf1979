import type { Engine } from '../../host.ts'
import type { Doctor } from './doctor-contract.ts'
import type { doctorJobs } from './doctor-jobs.ts'

type Jobs = typeof doctorJobs

/** The main thread's side of `doctorJobs`. `changed`: files were removed. */
export function createDoctorEngine(
  engine: Pick<Engine<Jobs>, 'run' | 'ask'>,
  changed: () => void,
): Doctor {
  return {
    object: (request) => engine.ask('object', request),
    tagsOf: (request, tags) => engine.ask('tagsOf', { request, tags }),
    async purge(request, { signal }) {
      const outcome = await engine.run('purge', request, { signal })
      if (outcome.filesDeleted > 0) changed()
      return outcome
    },
  }
}
