import type { AlphaWebApi, AppLists } from '../catalogue/contract.ts'
import type { Core } from '../core/core.ts'
import type { RouteAccess } from '../core/http/access.ts'
import type { AlphaLogin } from '../engines/alpha-login/facade.ts'
import type { LogEngine } from '../engines/logs/contract.ts'
import type { AccessControl } from './contract.ts'

/** What this group depends on: the core, engines, and named parts of other groups. */
export interface AccessParts extends Core {
  logs: LogEngine
  alpha: {
    webApi: AlphaWebApi
    lists: AppLists
    login: AlphaLogin
    /** Starts a search for names of games, unless one is active; provided by the catalogue. */
    searchNames: () => Promise<void>
  }
  control: AccessControl
  /** Whether there is an event that a page can be shared about. */
  hasEvent: (id: string) => Promise<boolean>
}

/** The same plus the access macro, through which every route names its policy. */
export type AccessRouteParts = AccessParts & RouteAccess
