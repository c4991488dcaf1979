import type { Datasources, Disk, Games, Snapshots } from '../cache/contract.ts'
import type { Caller } from '../core/caller.ts'
import type { RouteAccess } from '../core/http/access.ts'
import type { ReadDataCap } from '../core/lib/data-cap.ts'
import type { Outside } from '../core/lib/outside.ts'
import type { BackupEngine } from '../engines/backup/contract.ts'
import type { CacheEngine } from '../engines/cache/cache-engine.ts'
import type { CatalogueEngine } from '../engines/catalogue/contract.ts'
import type { Core } from '../core/core.ts'
import type { Nodes } from '../nodes/contract.ts'
import type { Reports, Stats } from '../downloads/contract.ts'
import type { ProxyControl } from '../engines/proxy/contract.ts'
import type { LogScan } from '../engines/log-scan/contract.ts'
import type { LogEngine } from '../engines/logs/contract.ts'
import type { NodeHosts } from '../engines/remote/hosts.ts'

/** What this group depends on: the core, engines, and named parts of other groups. */
export interface SystemParts extends Core {
  logs: LogEngine
  logScan: LogScan
  /** Requests to services on the internet. */
  outside: Outside
  nodes: Nodes
  nodeHosts: NodeHosts
  cache: CacheEngine
  catalogue: CatalogueEngine
  datasources: Datasources
  disk: Disk
  proxy: ProxyControl
  reports: Reports
  stats: Stats
  games: Games
  snapshots: Snapshots
  /**
   * Whether the request carries the installation key; null without any key. Throws 429 after ten
   * wrong ones a minute. Provided by access.
   */
  checkKey: (request: Request) => boolean | null
  /** Whether the installation has an account; provided by access. */
  hasAccount: () => boolean
  backup: BackupEngine
  /** Stops the service and starts it again in this process. */
  restart: () => void
  /** Writes the audit entry for a snapshot that left the machine, or is restored. */
  noteBackup: (event: 'BackupDownloaded' | 'RestoreStarted', actor: Caller) => void
  /** Ends every session and forgets the sign-in to Steam; provided by access. */
  endSessions: () => void
  /** Discards all images of games; resolves to their number. Provided by the catalogue. */
  clearImages: () => Promise<number>
  /** Whether a stored sign-in to Steam can no longer be used; provided by access. */
  hasExpiredLogin: () => boolean
  /** What the cache used of the line's monthly volume; provided by the dashboard. */
  readDataCap: ReadDataCap
  /** Writes the audit entry for a reopened set-up. */
  noteReopened: (actor: Caller) => void
}

/** The same plus the access macro, through which every route names its policy. */
export type SystemRouteParts = SystemParts & RouteAccess
