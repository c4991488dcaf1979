import type { Core } from '../core/core.ts'
import type { RouteAccess } from '../core/http/access.ts'
import type { Outside } from '../core/lib/outside.ts'
import type { CatalogueEngine } from '../engines/catalogue/contract.ts'
import type { LogEngine } from '../engines/logs/contract.ts'
import type { AppLists } from './alpha/web-api/lists.ts'

/**
 * What this group depends on: the core, its engine, the log engine, Steam's lists, and requests to
 * others.
 */
export interface CatalogueParts extends Core {
  catalogue: CatalogueEngine
  logs: Pick<LogEngine, 'onNewTitles'>
  alpha: { lists: AppLists }
  /** Requests of the main thread to services on the internet. */
  outside: Outside
}

/** The same plus the access macro, through which every route names its policy. */
export type CatalogueRouteParts = CatalogueParts & RouteAccess
