import type { Deps } from '../deps.ts'
import { createDetection, type Detection } from '../detection/detection.ts'
import { createEviction, type Eviction } from '../eviction/eviction.ts'
import { createReports, type Reports } from './downloads/reports/reports.ts'

/** What several groups of endpoints need one and the same of. */
export interface Shared {
  reports: Reports
  detection: Detection
  eviction: Eviction
}

export function createShared(deps: Deps): Shared {
  const reports = createReports(deps)
  return { reports, detection: createDetection(deps), eviction: createEviction(deps, reports) }
}
