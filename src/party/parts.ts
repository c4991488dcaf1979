import type { AccessControl } from '../access/contract.ts'
import type { Core } from '../core/core.ts'
import type { RouteAccess } from '../core/http/access.ts'
import type { Downloads, Reports, SpeedSample, Stats } from '../downloads/contract.ts'
import type { LogEngine } from '../engines/logs/contract.ts'
import type { Platform } from '../platforms/platforms.ts'

/** A game that a platform can prefill, with what the readiness board knows of it. */
export interface PrefillGame {
  platform: Platform
  appId: string
  name: string
  state: 'ready' | 'fetching' | 'onBoard' | 'open'
  totalBytes: number | null
}

/** What this group depends on: the core, and named parts of other groups. */
export interface PartyParts extends Core {
  logs: Pick<LogEngine, 'speeds'>
  reports: Reports
  stats: Stats
  downloads: Downloads
  /** Speeds of the last five minutes. */
  recentSpeeds: () => SpeedSample[]
  /** Games that clients have used since then, with their keys. */
  usedSince: (since: Date) => Promise<{ key: string; name: string }[]>
  prefillGames: () => Promise<PrefillGame[]>
  control: Pick<AccessControl, 'address' | 'audit' | 'links'>
}

/** The same plus the access macro, through which every route names its policy. */
export type PartyRouteParts = PartyParts & RouteAccess
