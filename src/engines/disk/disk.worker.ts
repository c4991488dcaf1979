import { serveEngine } from '../engine.ts'
import { diskJobs } from './jobs.ts'

// Of its own: a question about a dead network share never returns, and only a worker can be given up.
serveEngine(diskJobs)
