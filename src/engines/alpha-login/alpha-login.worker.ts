import { serveEngine } from '../engine.ts'
import { alphaLoginJobs } from './jobs.ts'

// A worker of its own: a fault of the library, or a timer that it leaves behind, never reaches the
// service. The worker lives only during a sign-in.
serveEngine(alphaLoginJobs)
