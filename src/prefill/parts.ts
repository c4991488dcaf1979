import type { Away } from '../engines/remote/wire.ts'
import type { Core } from '../core/core.ts'
import type { RouteAccess } from '../core/http/access.ts'
import type { Caller } from '../core/caller.ts'
import type { ReadDataCap } from '../core/lib/data-cap.ts'
import type { CatalogueEngine } from '../engines/catalogue/contract.ts'
import type { NodeHosts } from '../engines/remote/hosts.ts'
import type { LogEngine } from '../engines/logs/contract.ts'
import type { Platform } from '../platforms/platforms.ts'
import type { ConnectDaemon, Transport } from './transports/contract.ts'

/** Where a session of access control comes from. */
export interface UserOrigin {
  /** The account's name, or the address of a session without an account. */
  user: string
  ipAddress: string | null
  userAgent: string
}

/** What prefill knows about sessions of access control; provided by access. */
export interface PrefillUsers {
  /**
   * When a session's right to prefill on a platform ends: a guest's grant, or the session itself.
   * Null: it has none, or no more.
   */
  rightEndsAt(userId: string, platform: Platform): Date | null
  /** Whether it has that right now; cheap enough for every call of a hub. */
  mayPrefill(userId: string, platform: Platform): boolean
  /** Limit of a guest's threads; null: none. */
  threadsMax(userId: string, platform: Platform): number | null
  originOf(userId: string): UserOrigin | null
}

/** A game as the cache and the downloads know it. */
interface KnownGame {
  /** `alpha:<app>`, `beta:<id>` or `named:<service>:<name>`. */
  key: string
  name: string
  bytes: number
}

/** What the caches hold. */
export interface GameStock {
  /** When they were read, the longest ago; null: they cannot be judged. */
  readAt: Date | null
  games: (KnownGame & { isPinned: boolean })[]
  /** Bytes that belong to no game. */
  otherBytes: number
  /** Bytes that can be stored before the proxy evicts; null: not known. */
  roomBytes: number | null
  /** Nodes that are away: what their caches hold is not known. */
  away?: Away[]
}

export type GameDemand = KnownGame & { clients: number }

/** What other groups know of games. */
export interface GameFacts {
  stock(): Promise<GameStock>
  /** Games by the number of clients that used them since then. Rejects with HistoryUnavailable. */
  usedSince(since: Date): Promise<GameDemand[]>
  /** Games of an event, else of the last one that has begun. Rejects with HistoryUnavailable. */
  ofEvent(eventId?: number): Promise<{ name: string; games: GameDemand[] } | null>
}

/** What this group depends on. */
export interface PrefillParts extends Core {
  users: PrefillUsers
  transports: Readonly<Record<Platform, Transport>>
  connect: ConnectDaemon
  catalogue: Pick<CatalogueEngine, 'addUses'>
  logs: Pick<LogEngine, 'setPrefillRuns' | 'onPrefillAddress'>
  gameFacts: GameFacts
  /** The machines of other caches. */
  nodeHosts: NodeHosts
  /** What the cache used of the line's monthly volume. */
  readDataCap: ReadDataCap
}

/** The same plus the access macro, through which every route names its policy. */
export type PrefillRouteParts = PrefillParts & RouteAccess

/**
 * Whether the owner's sessions and bans are hidden from this caller, as in access control: from
 * everyone with another account, and from guests.
 */
export const hidesOwners = (caller: Caller): boolean =>
  !caller.isOwner && (caller.accountId !== null || caller.role === 'guest')
