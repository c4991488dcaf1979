import { serveEngine } from '../engine.ts'
import { alphaLoginJobs } from './jobs.ts'

// Of its own, so that a fault of the library, or a timer it leaves behind, never reaches the
// service; the worker lives only while somebody is signing in.
serveEngine(alphaLoginJobs)
