import type { HostNames } from '../clients/contract.ts'
import type { Core } from '../core/core.ts'
import type { RouteAccess } from '../core/http/access.ts'
import type { CacheEngine } from '../engines/cache/cache-engine.ts'
import type { LogScan } from '../engines/log-scan/contract.ts'
import type { LogEngine } from '../engines/logs/contract.ts'
import type { ProxyControl } from './logs/proxy-control.ts'

/** What the group stands on: the core, engines, and parts of other groups by name. */
export interface DownloadsParts extends Core {
  logs: LogEngine
  logScan: LogScan
  /** Removed log lines make findings of repeated misses outdated. */
  cache: CacheEngine
  names: HostNames
  /** Refuses with `invalid` where log files cannot be written. */
  datasources: { requireWritable(what: { logs: true; name: string }): Promise<void> }
  proxy: ProxyControl
}

/** The same with the access macro, through which every route names its policy. */
export type DownloadsRouteParts = DownloadsParts & RouteAccess
