import type { Core } from '../core/core.ts'
import type { RouteAccess } from '../core/http/access.ts'
import type { LogEngine } from '../engines/logs/contract.ts'
import type { HostNames } from './host-names/contract.ts'

/** What the group stands on: the core, engines, and parts of other groups by name. */
export interface ClientsParts extends Core {
  logs: LogEngine
  names: HostNames
}

/** The same with the access macro, through which every route names its policy. */
export type ClientsRouteParts = ClientsParts & RouteAccess
