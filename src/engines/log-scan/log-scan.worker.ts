import { serveEngine, type JobContext } from '../engine.ts'
import type { LogScanRequest } from './contract.ts'
import { findHosts, findRepeats } from './repeats.ts'
import { scanLogs } from './scan.ts'
import type { TailRequest } from './tail-contract.ts'

const jobs = {
  repeatedMisses: (request: LogScanRequest, context: JobContext) => scanLogs(request, context),
  repeats: (request: TailRequest & { client: string | null }) => findRepeats(request),
  hosts: (request: TailRequest & { tag: string; path: string }) => findHosts(request),
}

export type LogScanJobs = typeof jobs

serveEngine(jobs)
