import type { JobContext } from '../engine.ts'
import { findSamples } from './content-samples.ts'
import type { LogScanProgress, LogScanRequest } from './contract.ts'
import type { CountFileRequest, CountProgress } from './count-contract.ts'
import { countFile, listLogs } from './count-file.ts'
import { readDownload } from './download-log.ts'
import { findHosts, findRepeats } from './repeats.ts'
import { scanLogs } from './scan.ts'
import type {
  DownloadLogRequest,
  HostsRequest,
  LogPeriod,
  RepeatsRequest,
  TailRequest,
} from './tail-contract.ts'
import { readTraffic } from './traffic.ts'

/** Jobs of a worker that reads logs. */
export const logScanJobs = {
  repeatedMisses: (request: LogScanRequest, context: JobContext<LogScanProgress>) =>
    scanLogs(request, context),
  repeats: (request: RepeatsRequest) => findRepeats(request),
  hosts: (request: HostsRequest) => findHosts(request),
  download: (request: DownloadLogRequest) => readDownload(request),
  traffic: (request: LogPeriod) => readTraffic(request),
  samples: (request: TailRequest) => findSamples(request),
  listLogs: ({ logPath }: { logPath: string }) => listLogs(logPath),
  countFile: (request: CountFileRequest, context: JobContext<CountProgress>) =>
    countFile(request, context),
}

export type LogScanJobs = typeof logScanJobs
