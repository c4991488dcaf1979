import type { Platform } from '../../platforms/platforms.ts'
import type { Challenge } from '../protocol/login.ts'
import type { Progress } from '../protocol/progress.ts'
import type { NetworkDiagnostics, RunningDaemon, Transport } from '../transports/contract.ts'
import type { DaemonClient } from './daemon-client.ts'
import type { AuthState } from '../hubs/payloads.ts'
import type { SessionStatus } from './model.ts'

/** How a run ended. */
export interface RunOutcome {
  state: 'completed' | 'failed' | 'cancelled'
  errorMessage: string | null
  /** The daemon is busy with a run of someone else; nothing was started. */
  isBusy?: boolean
  /** Games of a completed run that could not be prefilled. */
  failedApps?: number
}

export interface RunResult extends RunOutcome {
  seconds: number
  bytes: number
}

/** The row of the history that is open. */
export interface OpenApp {
  rowId: number
  appId: string
  bytes: number
  totalBytes: number
}

/** A prefill that runs. */
export interface Run {
  /** The schedule that it belongs to; null: none. */
  schedule: { id: string; name: string } | null
  startedAt: Date
  /** In elapsed time, like all of the following. */
  startedMs: number
  /** Last sign of life: bytes, a step of preparing, or a game that was finished. */
  activeMs: number
  /** What `activeMs` is calculated from. */
  signature: string
  hasProgress: boolean
  isAccepted: boolean
  isCancelling: boolean
  /** Bytes of the games that are finished. */
  finishedBytes: number
  /** Games that are finished -> when. */
  finished: Map<string, number>
  totalApps: number
  open: OpenApp | null
  result: Promise<RunResult>
  resolve: (result: RunResult) => void
  /** Ends a cancelled run whose daemon falls silent. */
  cancelTimer: (() => void) | null
}

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

/** A session with a daemon. */
export interface LiveSession {
  readonly id: string
  readonly platform: Platform
  /** Session of access control, or of the system. */
  readonly userId: string
  /** Created by the owner: invisible to other accounts. */
  readonly isOwners: boolean
  readonly isTemporary: boolean
  readonly isPersistent: boolean
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
  currentAppId: string | null
  currentAppName: string | null
  totalBytesTransferred: number
  /** Larder's own daemon, which knows commands beyond the protocol. */
  isLarders: boolean
  diagnostics: NetworkDiagnostics | null
  lastRun:
    (Pick<RunOutcome, 'state' | 'errorMessage'> & { completedAt: Date; seconds: number }) | null
  lastProgress: Progress | null
  /** Null: what the daemon has stored. */
  selectedAppIds: readonly string[] | null
  login: LoginState
  run: Run | null
  /** Its daemon was told to pause. */
  isPaused: boolean
  /** A run may go on that an earlier process started. */
  mayHaveRun: boolean
  /** A run ended without the daemon's event, which may still come. */
  isEndPending: boolean
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
