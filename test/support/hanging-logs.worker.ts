import { existsSync, readFileSync } from 'node:fs'
import { serveEngine } from '../../src/engines/engine.ts'
import { logScanJobs } from '../../src/engines/log-scan/jobs.ts'

// The real jobs, except that beside a file that hangs there is a pipe without a writer: reading it
// never returns, like a file on an unreachable network share.
serveEngine({
  ...logScanJobs,
  countFile(request: Parameters<typeof logScanJobs.countFile>[0], context) {
    const pipe = `${request.file.path}.pipe`
    if (existsSync(pipe)) readFileSync(pipe)
    return logScanJobs.countFile(request, context)
  },
})
