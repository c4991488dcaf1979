import { existsSync, readFileSync } from 'node:fs'
import { serveEngine } from '../../src/engines/engine.ts'
import { logScanJobs } from '../../src/engines/log-scan/jobs.ts'

// The real jobs, but beside a file that hangs lies a pipe: as nobody writes to it, reading it never
// returns, like a file on a network share that is gone.
serveEngine({
  ...logScanJobs,
  countFile(request: Parameters<typeof logScanJobs.countFile>[0], context) {
    const pipe = `${request.file.path}.pipe`
    if (existsSync(pipe)) readFileSync(pipe)
    return logScanJobs.countFile(request, context)
  },
})
