/** Retention rules and the data they are evaluated on. */

import type { Phrase } from '../../core/lib/phrases.ts'
import type { PreviewGame, RuleView } from './model.ts'

/** Rules as they are applied. */
export type Rule = Omit<RuleView, 'createdAtUtc' | 'updatedAtUtc'>

/** A game in the caches. Times in Unix seconds. */
export interface StoredGame {
  key: string
  name: string
  service: string
  datasources: string[]
  files: number
  bytes: number
  bytesOn: Record<string, number>
  lastStoredAt: number
  /** The newest client download or the newest cache file, whichever is later. */
  lastUsedAt: number
}

export interface DiskFacts {
  /** Mount point, for display. */
  name: string
  datasources: string[]
  /** Null when currently unknown. */
  freeBytes: number | null
}

export interface GameName {
  gameKey: string
  name: string
}

/** Snapshot of everything that rules use. */
export interface CacheState {
  nowS: number
  games: StoredGame[]
  /** Games by the former keys of their depots. */
  ofDepots: ReadonlyMap<string, GameName>
  /** Total bytes per service, including content of no game; by lower-case name. */
  serviceBytes: Record<string, number>
  disks: DiskFacts[]
  /** Datasources that cannot be judged, with the reason. */
  silent: Record<string, Phrase>
}

/** A rule's verdict on one matching game. */
export interface Verdict {
  game: StoredGame
  why: string
  state: PreviewGame['state']
}

export interface Selection {
  rule: Rule
  /** Why the rule currently abstains; null when it was evaluated. */
  abstains: Phrase | null
  verdicts: Verdict[]
}
