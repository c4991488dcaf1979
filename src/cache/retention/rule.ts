/** What rules are made of and what they are asked about. */

import type { Phrase } from '../../core/lib/phrases.ts'

export const conditions = [
  'storedLongerThan',
  'unusedFor',
  'gameLargerThan',
  'serviceAbove',
  'diskBelow',
] as const
export type Condition = (typeof conditions)[number]

export interface Rule {
  id: string
  name: string
  isEnabled: boolean
  position: number
  /** Null: of all. In lower case. */
  service: string | null
  gameKey: string | null
  datasource: string | null
  condition: Condition
  /** Of `storedLongerThan` and `unusedFor`. */
  days: number | null
  /** Of the others. */
  bytes: number | null
}

/** A game as it lies in the caches. Times in Unix seconds. */
export interface StoredGame {
  key: string
  name: string
  service: string
  datasources: string[]
  files: number
  bytes: number
  bytesOn: Record<string, number>
  lastStoredAt: number
  /** The newest download of a client, or the newest piece: what is later. */
  lastUsedAt: number
}

export interface DiskFacts {
  /** Mount point, for people. */
  name: string
  datasources: string[]
  /** Null: it is not known at the moment. */
  freeBytes: number | null
}

/** Everything that rules look at, of one moment. */
export interface World {
  nowS: number
  games: StoredGame[]
  /** All bytes of each service, what belongs to no game included; by lower-case name. */
  serviceBytes: Record<string, number>
  disks: DiskFacts[]
  /** Datasources of which nothing may be concluded, with the reason. */
  silent: Record<string, Phrase>
}

/** What a rule says about one game that it means. */
export interface Verdict {
  game: StoredGame
  why: string
  state: 'leaves' | 'pending' | 'pinned' | 'spared'
}

export interface Selection {
  rule: Rule
  /** Why the rule says nothing at the moment; null: it was asked. */
  abstains: Phrase | null
  verdicts: Verdict[]
}
