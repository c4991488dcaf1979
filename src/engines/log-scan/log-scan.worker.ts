import { serveEngine, type JobContext } from '../engine.ts'
import type { LogScanRequest } from './contract.ts'
import { scanLogs } from './scan.ts'

const jobs = {
  repeatedMisses: (request: LogScanRequest, context: JobContext) => scanLogs(request, context),
}

export type LogScanJobs = typeof jobs

serveEngine(jobs)
