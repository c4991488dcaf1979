import type { Audience } from '../../core/live/contract.ts'
import type { EventName, PayloadOf } from '../../core/live/events.ts'
import type { CredentialChallenge, DaemonSession } from './payloads.ts'
import type { PrefillProgress } from '../protocol/progress.ts'
import type { Platform } from '../../platforms/platforms.ts'
import type { SelectedAppsStatus } from '../protocol/apps.ts'

/** The hub of one platform, as far as sessions send events to it. */
export interface PlatformHub {
  publish<E extends EventName>(event: E, data: PayloadOf<E>, audience: Audience): void
  /** To connections that follow the session, and to all of `userId` if given. */
  toFollowers<E extends EventName>(
    sessionId: string,
    event: E,
    data: PayloadOf<E>,
    userId?: string,
  ): void
  /** The session is over: nobody follows it any more. */
  forget(sessionId: string): void
}

export type PlatformHubs = Readonly<Record<Platform, PlatformHub>>

/** How the last run of a session ended. */
export interface LastPrefill {
  status: 'completed' | 'failed' | 'cancelled'
  /** ISO-8601, UTC. */
  completedAt: string
  durationSeconds: number
  /** Why it failed, or was cancelled by someone else. */
  errorMessage: string | null
}

/** What the hub of a platform answers: its methods with their arguments and results. */
export interface PlatformCalls {
  CreateSessionAsync(): DaemonSession
  GetMySessions(): DaemonSession[]
  /** The caller receives `SessionSubscribed`, the last progress, and the events from now on. */
  SubscribeToSessionAsync(sessionId: string): void
  /** Null: signed in, or no question yet. */
  StartLoginAsync(sessionId: string): CredentialChallenge | null
  /** Waits 30 seconds unless another value is given, 120 at most. */
  WaitForChallengeAsync(sessionId: string, timeoutSeconds?: number): CredentialChallenge | null
  ProvideCredentialAsync(
    sessionId: string,
    challenge: Pick<CredentialChallenge, 'challengeId'>,
    credential: string,
  ): void
  CancelLoginAsync(sessionId: string): void
  CancelPrefillAsync(sessionId: string): void
  ClearCacheAsync(sessionId: string): { success: boolean; message: string }
  GetSelectedAppsStatusAsync(
    sessionId: string,
    operatingSystems?: readonly string[] | null,
    cache?: string | null,
  ): SelectedAppsStatus
  EndSessionAsync(sessionId: string): void
  GetLastPrefillResult(sessionId: string): LastPrefill | null
  GetCurrentPrefillProgress(sessionId: string): PrefillProgress | null
}
