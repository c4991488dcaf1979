import type { CacheParts, Games, Snapshots } from '../cache/contract.ts'
import type { HostNames } from '../clients/contract.ts'
import type { RouteAccess } from '../core/http/access.ts'
import type { Downloads, Reports, Stats, Summary } from '../downloads/contract.ts'

/** The dashboard's answer is assembled from those of the other groups. */
export interface DashboardParts extends Pick<
  CacheParts,
  | 'cache'
  | 'clock'
  | 'config'
  | 'disk'
  | 'history'
  | 'log'
  | 'operations'
  | 'schedules'
  | 'settings'
> {
  reports: Reports
  stats: Stats
  summary: Summary
  downloads: Downloads
  snapshots: Snapshots
  games: Games
  names: HostNames
}

/** The same plus the access macro, through which every route names its policy. */
export type DashboardRouteParts = DashboardParts & RouteAccess
