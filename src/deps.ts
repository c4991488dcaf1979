import type { History } from '../db/history/history.ts'
import type { StateDatabase } from '../db/state/open.ts'
import type { AccessControl } from './access/contract.ts'
import type { Config } from './core/config.ts'
import type { Datasources } from './cache/datasources/contract.ts'
import type { Disk } from './cache/disk/contract.ts'
import type { AlphaLogin } from './engines/alpha-login/facade.ts'
import type { CacheEngine } from './engines/cache/cache-engine.ts'
import type { LogScan } from './engines/log-scan/contract.ts'
import type { LogEngine } from './engines/logs/contract.ts'
import type { AccessPlugin } from './core/http/access.ts'
import type { Clock } from './core/lib/clock.ts'
import type { Logger } from './core/lib/log.ts'
import type { LiveHub } from './core/live/contract.ts'
import type { HostNames } from './clients/host-names/contract.ts'
import type { Operations } from './core/operations/contract.ts'
import type { AlphaWebApi } from './catalogue/alpha/web-api/client.ts'
import type { ProxyControl } from './cache/proxy/contract.ts'
import type { Schedules } from './core/schedules/contract.ts'
import type { Credentials } from './core/secrets/credentials.ts'
import type { Settings } from './core/settings/settings.ts'

/** What the parts of the service are handed. Made once in main.ts (and in test/support/app.ts). */
export interface Deps {
  config: Config
  log: Logger
  clock: Clock
  state: StateDatabase
  settings: Settings
  /** Sealed keys and tokens of platforms. */
  credentials: Credentials
  alpha: { webApi: AlphaWebApi; login: AlphaLogin }
  history: History
  logs: LogEngine
  /** Reads whole logs for pieces that were missed again and again. */
  logScan: LogScan
  operations: Operations
  hub: LiveHub
  /** What is known of each datasource: layout, key scheme, slices, permissions. */
  datasources: Datasources
  /** The disks below the caches and the limits of the caches. */
  disk: Disk
  /** The index of the files in the caches. */
  cache: CacheEngine
  /** Tells the caching proxy to reopen its logs. */
  proxy: ProxyControl
  /** Host names of clients. */
  names: HostNames
  /** Services that run by the clock. */
  schedules: Schedules
}

/** Route factories also get the access macro; every route names its policy through it. */
export interface RouteDeps extends Deps {
  access: AccessPlugin
  control: AccessControl
}
