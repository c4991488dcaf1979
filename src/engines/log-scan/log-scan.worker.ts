import { serveEngine } from '../engine.ts'
import { logScanJobs } from './jobs.ts'

serveEngine(logScanJobs)
