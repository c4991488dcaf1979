import { existsSync, readFileSync, statSync } from 'node:fs'
import { diskJobs } from '../../src/engines/disk/jobs.ts'
import { serveEngine } from '../../src/engines/engine.ts'

// The real jobs, but a pipe is read: as nobody writes to it, that never returns, like a question
// about a network share that is gone.
serveEngine({
  ...diskJobs,
  space(path: string) {
    if (existsSync(path) && statSync(path).isFIFO()) readFileSync(path)
    return diskJobs.space(path)
  },
})
