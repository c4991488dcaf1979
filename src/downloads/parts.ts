import type { Devices, HostNames } from '../clients/contract.ts'
import type { Core } from '../core/core.ts'
import type { RouteAccess } from '../core/http/access.ts'
import type { CacheEngine } from '../engines/cache/cache-engine.ts'
import type { Space } from '../engines/disk/contract.ts'
import type { LogScan } from '../engines/log-scan/contract.ts'
import type { LogEngine } from '../engines/logs/contract.ts'
import type { ProxyControl } from '../engines/proxy/contract.ts'

/** What this group depends on: the core, engines, and named parts of other groups. */
export interface DownloadsParts extends Core {
  logs: LogEngine
  logScan: LogScan
  /** Removing log lines makes findings of repeated misses stale. */
  cache: CacheEngine
  /** The mount of a datasource's cache. */
  disk: { space(datasource: string): Promise<Pick<Space, 'device'>> }
  names: HostNames
  devices: Devices
  datasources: {
    /** Refuses with `invalid` where log files are not writable. */
    requireWritable(what: { logs: true; name: string }): Promise<void>
    facts(name: string): Promise<{ canWriteLogs: boolean; logProblem: string }>
  }
  /** The proxies of this machine and of all nodes. */
  proxy: ProxyControl
  /** That of this machine. */
  ownProxy: ProxyControl
}

/** The same plus the access macro, through which every route names its policy. */
export type DownloadsRouteParts = DownloadsParts & RouteAccess
