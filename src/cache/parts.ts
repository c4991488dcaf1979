import type { Core } from '../core/core.ts'
import type { RouteAccess } from '../core/http/access.ts'
import type { ProxyControl, Reports } from '../downloads/contract.ts'
import type { CacheEngine } from '../engines/cache/cache-engine.ts'
import type { LogScan } from '../engines/log-scan/contract.ts'
import type { LogEngine } from '../engines/logs/contract.ts'
import type { Datasources } from './datasources/contract.ts'
import type { Disk } from './disk/contract.ts'

/** What the group stands on: the core, engines, and parts of other groups by name. */
export interface CacheParts extends Core {
  logs: LogEngine
  logScan: LogScan
  /** The index of the files in the caches. */
  cache: CacheEngine
  /** Layout, key scheme, slices and permissions of each datasource. */
  datasources: Datasources
  /** The disks below the caches and the limits of the caches. */
  disk: Disk
  proxy: ProxyControl
  /** Answers of reports, which removals outdate. */
  reports: Pick<Reports, 'cached' | 'dropAll' | 'read'>
}

/** The same with the access macro, through which every route names its policy. */
export type CacheRouteParts = CacheParts & RouteAccess
