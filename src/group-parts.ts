import type { Deps } from './deps.ts'
import { createDetection, type Detection } from './cache/detection/detection.ts'
import { createEviction, type Eviction } from './cache/eviction/eviction.ts'
import { createGames, type Games } from './cache/games/service.ts'
import { createReports, type Reports } from './downloads/reports/reports.ts'

/** What several groups of endpoints need one and the same of. */
export interface Shared {
  reports: Reports
  detection: Detection
  eviction: Eviction
  games: Games
}

export function createShared(deps: Deps): Shared {
  const reports = createReports(deps)
  const kept = {
    dropAll() {
      reports.dropAll()
      games.forget()
    },
  }
  const eviction = createEviction(deps, kept)
  const detection = createDetection(deps, eviction)
  const games = createGames(deps, detection)
  return { reports, detection, eviction, games }
}
