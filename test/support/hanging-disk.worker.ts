import { existsSync, readFileSync, statSync } from 'node:fs'
import { diskJobs } from '../../src/engines/disk/jobs.ts'
import { serveEngine } from '../../src/engines/engine.ts'

// The real jobs, except that one reads a pipe without a writer: it never returns, like a call to an
// unreachable network share.
serveEngine({
  ...diskJobs,
  space(path: string) {
    if (existsSync(path) && statSync(path).isFIFO()) readFileSync(path)
    return diskJobs.space(path)
  },
})
