import type { AlphaAccess, SessionFault } from '../alpha-connection/contract.ts'
import type { Watch } from '../engine.ts'

/** Types of the catalogue engine; they cross a thread as plain data. Times are Unix ms. */

/** The list of mappings on disk, as the API documents it. */
export interface ListFile {
  exists: boolean
  path: string
  lastUpdated: string | null
  totalMappings: number
  nextUpdateDue: string | null
}

export interface CatalogueStatus {
  /** Depots with a known owner. */
  depots: number
  /** Pairs of depot and app. */
  mappings: number
  /** 0: never read. */
  changeNumber: number
  file: ListFile
}

/** What a depot's downloads are called. */
export interface DepotName {
  depotId: number
  appId: number
  name: string
  imageUrl: string | null
}

/** `needed`: only apps of the depots in downloads. */
export type CrawlKind = 'full' | 'incremental' | 'needed'

export interface CrawlRequest {
  kind: CrawlKind
  access: AlphaAccess
  webApi: { baseUrl: string; key: string | null }
  /** Depots of downloads; those without an owner are resolved at the end. */
  depotIds: number[]
}

export type CrawlPhase =
  'connecting' | 'authenticating' | 'processing' | 'saving' | 'resolvingOrphans'

/** A crawl that has done nothing yet. */
export const noProgress = {
  totalApps: 0,
  processedApps: 0,
  totalBatches: 0,
  processedBatches: 0,
  failedBatches: 0,
  depotMappingsFound: 0,
  depotMappingsFoundInSession: 0,
  isConnected: false,
  isReconnecting: false,
  reconnectAttempt: 0,
}

/** Progress of a crawl; flat, because it crosses a thread. */
export type CrawlProgress = { phase: CrawlPhase } & typeof noProgress

export type CrawlOutcome =
  | { kind: 'done'; mappings: number; failedBatches: number }
  | { kind: 'cancelled' }
  /** Steam demands a full update instead of an incremental one. */
  | { kind: 'fullNeeded' }
  /** `fault` null: not because of the session. */
  | { kind: 'failed'; reason: string; fault: SessionFault | null }

export interface ImportRequest {
  /** Null: imports the file on disk. */
  url: string | null
}

export interface ImportProgress {
  phase: 'downloading' | 'importing'
  bytes: number
  /** 0: unknown. */
  totalBytes: number
  mappings: number
}

export type ImportOutcome =
  | { kind: 'done'; mappings: number }
  /** The list has not changed since the last import. */
  | { kind: 'unchanged'; mappings: number }
  | { kind: 'missing' }
  | { kind: 'cancelled' }
  | { kind: 'failed'; reason: string }

/** `current` 0: not known because of `error`. */
export interface ChangeNumbers {
  last: number
  current: number
  fullNeeded: boolean
  /** The error is one of the connection, not of the request. */
  isAway: boolean
  error: string | null
  fault: SessionFault | null
}

export interface StoreRequest {
  baseUrl: string
  appIds: number[]
  /** Requests at most. */
  limit: number
}

/** Depots that an app was prefilled with; at most 1000. */
export interface PrefilledDepots {
  appId: number
  depotIds: number[]
  /** Unix ms. */
  at: number
}

/** The worker that owns `catalog.sqlite` and talks to the services behind it. */
export interface CatalogueEngine {
  status(): Promise<CatalogueStatus>
  /** At most 1000 depots; those without a name are left out. */
  names(depotIds: number[]): Promise<DepotName[]>
  /** Apps besides the owner that use the given depots, as pairs. At most 1000 depots. */
  users(depotIds: number[]): Promise<{ depotId: number; appId: number }[]>
  /** Games that DLC and tools belong to. At most 1000 apps. */
  parents(appIds: number[]): Promise<{ appId: number; parentId: number }[]>
  addUses(depots: PrefilledDepots): Promise<void>
  crawl(request: CrawlRequest, run: Watch<CrawlProgress>): Promise<CrawlOutcome>
  importList(request: ImportRequest, run: Watch<ImportProgress>): Promise<ImportOutcome>
  changeNumbers(access: AlphaAccess, signal: AbortSignal): Promise<ChangeNumbers>
  /** Asks the store for apps it was not asked for; returns those with a new name or image. */
  lookUp(request: StoreRequest, signal: AbortSignal): Promise<number[]>
  /** Forgets all apps, depots and names; the next run reads them again. */
  forget(): Promise<void>
  /** Ends the worker, whatever it does. */
  kill(): void
  stop(): void
}
