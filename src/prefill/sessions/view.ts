import { platformFacts } from '../../platforms/platforms.ts'
import type { Challenge } from '../protocol/login.ts'
import type { OwnedGame as DaemonGame } from '../protocol/apps.ts'
import { durationText, type Progress, type PrefillProgress } from '../protocol/progress.ts'
import type { CredentialChallenge, DaemonSession, OwnedGame, PrefillResult } from './model.ts'
import { isCachedResult, isGameEnd, type RunResult } from './run.ts'
import type { LiveSession } from './state.ts'

/** A session as in the API. */
export const sessionView = (session: LiveSession, now: Date): DaemonSession => ({
  id: session.id,
  userId: session.userId,
  containerName: session.daemon.name,
  status: session.status,
  errorMessage: session.errorMessage,
  authState: session.authState,
  isPrefilling: session.run !== null,
  createdAt: session.createdAt.toISOString(),
  expiresAt: session.expiresAt.toISOString(),
  timeRemainingSeconds: Math.max(
    0,
    Math.floor((session.expiresAt.getTime() - now.getTime()) / 1000),
  ),
  isTemporary: session.isTemporary,
  isPersistent: session.isPersistent,
  needsRelogin: session.needsRelogin,
  ipAddress: session.ipAddress,
  operatingSystem: session.operatingSystem,
  browser: session.browser,
  lastSeenAt: session.lastSeenAt.toISOString(),
  accountUsername: session.accountUsername,
  platform: platformFacts[session.platform].name,
  username: session.username ?? session.accountUsername,
  currentAppId: session.currentAppId,
  currentAppName: session.currentAppName,
  totalBytesTransferred: session.totalBytesTransferred,
  networkDiagnostics: session.diagnostics,
  lastPrefillCompletedAt: session.lastRun?.completedAt.toISOString() ?? null,
  lastPrefillDurationSeconds: session.lastRun?.seconds ?? null,
  lastPrefillStatus: session.lastRun?.state ?? null,
  isShared: session.transport.isShared,
  cacheAddress: session.daemon.cache.address,
  cacheAddressSource: session.daemon.cache.source,
})

export const challengeView = (session: LiveSession, challenge: Challenge): CredentialChallenge => ({
  type: 'credential-challenge',
  challengeId: challenge.challengeId,
  credentialType: challenge.credentialType,
  serverPublicKey: challenge.serverPublicKey,
  email: challenge.email,
  authUrl: challenge.authUrl,
  userCode: challenge.userCode,
  verificationUri: challenge.userCode === null ? null : challenge.authUrl,
  createdAt: challenge.createdAt,
  expiresAt: challenge.expiresAt,
  sessionId: session.id,
  operationId: session.login.operationId,
})

/** Ids of digits are numbers in the API as long as JavaScript can represent them. */
export function gameView({ appId, name, imageUrl }: DaemonGame): OwnedGame {
  const number = /^(?:0|[1-9]\d*)$/.test(appId) ? Number(appId) : NaN
  return { appId: Number.isSafeInteger(number) ? number : appId, name, imageUrl }
}

export const resultView = ({ state, errorMessage, seconds }: RunResult): PrefillResult => ({
  success: state === 'completed',
  errorMessage: state === 'cancelled' ? (errorMessage ?? 'Prefill cancelled') : errorMessage,
  totalTime: durationText(seconds),
  totalSeconds: Math.floor(seconds * 1e7) / 1e7,
})

/** A progress as the hubs send it. */
export function progressView(progress: Progress): PrefillProgress {
  const { depots } = progress
  const isApp = isGameEnd(progress)
  const appState = isCachedResult(progress) ? 'already_cached' : 'app_completed'
  return {
    ...progress,
    state: isApp ? appState : progress.state,
    percentComplete: isApp ? 100 : progress.percentComplete,
    // Daemons say 0.
    depots: depots.length === 0 ? null : depots.map((depot) => ({ ...depot, totalBytes: 0 })),
  }
}
