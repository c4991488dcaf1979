import type { Datasources, Disk } from '../cache/contract.ts'
import type { Caller } from '../core/caller.ts'
import type { RouteAccess } from '../core/http/access.ts'
import type { CacheEngine } from '../engines/cache/cache-engine.ts'
import type { Core } from '../core/core.ts'
import type { ProxyControl } from '../downloads/contract.ts'
import type { LogEngine } from '../engines/logs/contract.ts'

/** What the group stands on: the core, engines, and parts of other groups by name. */
export interface SystemParts extends Core {
  logs: LogEngine
  cache: CacheEngine
  datasources: Datasources
  disk: Disk
  proxy: ProxyControl
  /** Whether the installation has an account; access tells it. */
  hasAccount: () => boolean
  /** Writes the audit entry for a set-up that was opened again. */
  noteReopened: (actor: Caller) => void
}

/** The same with the access macro, through which every route names its policy. */
export type SystemRouteParts = SystemParts & RouteAccess
