import type { Platform } from '../../platforms/platforms.ts'
import type { Challenge } from '../protocol/login.ts'
import type { RunSlot } from './run.ts'
import type { NetworkDiagnostics, RunningDaemon, Transport } from '../transports/contract.ts'
import type { DaemonClient } from './daemon-client.ts'
import type { AuthState } from '../hubs/payloads.ts'
import type { SessionStatus } from './model.ts'

/** A login that runs, or the last one. */
export interface LoginState {
  isActive: boolean
  /** Only takes up a stored sign-in; nobody is asked for a credential. */
  isSilent: boolean
  startedMs: number
  /** The credential that the daemon waits for. */
  challenge: Challenge | null
  /** A late duplicate of it is dropped. */
  answeredId: string | null
  /** It was cancelled, and the daemon has not reported its end yet. */
  isEndPending: boolean
  /** Why the last login failed. */
  failure: string | null
  operationId: string | null
  /** Called after every change. */
  waiters: Set<() => void>
}

/** The games of an account. */
export interface ListedGames {
  /** By id; a game that fails early is reported by id only. */
  names: ReadonlyMap<string, string>
  listedMs: number
}

/** A session with a daemon. */
export interface LiveSession extends Readonly<RunSlot> {
  readonly id: string
  readonly platform: Platform
  /** Session of access control, or of the system. */
  readonly userId: string
  /** Created by the owner: invisible to other accounts. */
  readonly isOwners: boolean
  readonly isTemporary: boolean
  readonly isPersistent: boolean
  /** Of a persistent session: a further account of the platform; null: its first one. */
  readonly accountId: string | null
  readonly createdAt: Date
  readonly ipAddress: string | null
  readonly operatingSystem: string | null
  readonly browser: string | null
  readonly transport: Transport
  daemon: RunningDaemon
  client: DaemonClient
  expiresAt: Date
  status: SessionStatus
  errorMessage: string | null
  authState: AuthState
  needsRelogin: boolean
  lastSeenAt: Date
  accountUsername: string | null
  username: string | null
  /** Larder's own daemon, which knows commands beyond the protocol. */
  isLarders: boolean
  diagnostics: NetworkDiagnostics | null
  /** As the daemon listed them last for the account that is signed in; null: not yet. */
  games: ListedGames | null
  /** Null: what the daemon has stored. */
  selectedAppIds: readonly string[] | null
  login: LoginState
  isEnding: boolean
}

export const noLogin = (): LoginState => ({
  isActive: false,
  isSilent: false,
  startedMs: 0,
  challenge: null,
  answeredId: null,
  isEndPending: false,
  failure: null,
  operationId: null,
  waiters: new Set(),
})
