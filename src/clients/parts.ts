import type { Core } from '../core/core.ts'
import type { RouteAccess } from '../core/http/access.ts'
import type { Outside } from '../core/lib/outside.ts'
import type { LogEngine } from '../engines/logs/contract.ts'
import type { Devices } from './devices/contract.ts'
import type { HostNames } from './host-names/contract.ts'

/** What this group depends on: the core, engines, and named parts of other groups. */
export interface ClientsParts extends Core {
  logs: LogEngine
  names: HostNames
  devices: Devices
  /** Asks the DNS server for its query log. */
  outside: Outside
}

/** The same plus the access macro, through which every route names its policy. */
export type ClientsRouteParts = ClientsParts & RouteAccess
