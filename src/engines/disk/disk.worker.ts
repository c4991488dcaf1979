import { serveEngine } from '../engine.ts'
import { diskJobs } from './jobs.ts'

// A worker of its own: a call to a dead network share never returns, and only a worker can be
// abandoned.
serveEngine(diskJobs)
