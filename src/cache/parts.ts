import type { OwnersOf } from '../catalogue/contract.ts'
import type { Core } from '../core/core.ts'
import type { RouteAccess } from '../core/http/access.ts'
import type { ProxyControl, Reports } from '../downloads/contract.ts'
import type { CacheEngine } from '../engines/cache/cache-engine.ts'
import type { LogScan } from '../engines/log-scan/contract.ts'
import type { LogEngine } from '../engines/logs/contract.ts'
import type { NodeHosts } from '../engines/remote/hosts.ts'
import type { Datasources } from './datasources/contract.ts'
import type { Disk } from './disk/contract.ts'

/** What this group depends on: the core, engines, and named parts of other groups. */
export interface CacheParts extends Core {
  logs: LogEngine
  logScan: LogScan
  /** The index of the files in the caches. */
  cache: CacheEngine
  /** Layout, key scheme, slices and permissions of each datasource. */
  datasources: Datasources
  nodeHosts: NodeHosts
  /** The caches' disks and limits. */
  disk: Disk
  proxy: ProxyControl
  /** Apps that share a depot. */
  ownersOf: OwnersOf
  /** Cached reports, which removals invalidate. */
  reports: Pick<Reports, 'cached' | 'dropAll' | 'read'>
}

/** The same plus the access macro, through which every route names its policy. */
export type CacheRouteParts = CacheParts & RouteAccess
