import type { SpeedSnapshot } from '../../engines/logs/contract.ts'
import type { OperationView } from '../operations/contract.ts'

export interface ActivitySnapshot {
  /** Increases with every change; a snapshot with a lower one is older. */
  revision: number
  /** Activities missing here are inactive. */
  activities: {
    domain: string
    key: string
    aspect: string
    isActive: boolean
    activeCount: number
  }[]
}

interface SessionNotice {
  sessionId: string
  /** `admin`, `user`, `guest`; `unknown` for the end of another's session. */
  sessionType: string
}

type Moment = 'createdAt' | 'startedAt' | 'finishedAt'

/**
 * Payloads of events with a fixed form, checked by the compiler. Events of long jobs have members
 * of their own and are not listed.
 */
export interface EventPayloads {
  Welcome: { serverTime: string }
  Pong: { serverTime: string }
  ActivityUpdated: ActivitySnapshot
  DownloadSpeedUpdate: SpeedSnapshot
  DownloadsRefresh: { reason?: string; source?: string; [member: string]: unknown } | null
  HistoryStatusChanged: { state: string; message: string | null }

  /** Games that retention rules are about to remove. */
  RetentionUpdated: { pending: number }

  OperationUpdated: Omit<OperationView, Moment> & {
    createdAt: string
    startedAt: string | null
    finishedAt: string | null
  }
  OperationWaiting: {
    operationId: string
    operationType: string
    name: string
    blockedByName: string | null
  }
  OperationWaitingComplete: {
    operationId: string
    operationType: string
    cancelled: boolean
    error: string | null
    promoted: boolean
  }

  UserSessionCreated: SessionNotice
  UserSessionRevoked: SessionNotice
  UserSessionDeleted: SessionNotice
  SessionLastSeenUpdated: { sessionId: string; lastSeenAt: string }
  UserPreferencesUpdated: { sessionId: string; preferences: object }
  GuestRefreshRateUpdated: { sessionId: string; refreshRate: string | null }
  GuestPrefillPermissionChanged: {
    sessionId: string
    service: string
    enabled: boolean
    prefillExpiresAt: string | null
  }
  DirectoryPermissionsChanged: {
    timestamp: string
    datasources: { name: string; cacheWritable: boolean; logsWritable: boolean }[]
  }
  DefaultGuestRefreshRateChanged: { refreshRate: string }
  GuestRefreshRateLockChanged: { locked: boolean }
  AllowedTimeFormatsChanged: { formats: readonly string[] }
  DefaultGuestPreferencesChanged:
    { key: string; value: boolean } | { key: 'clock'; clock: object; previousClock: object }
  PrefillDefaultsChanged: object
  DefaultGuestThemeChanged: { newThemeId: string | null }
  GuestModeLockChanged: { isLocked: boolean }
  GuestDurationUpdated: { durationHours: number }

  EventDeleted: number
  DownloadTagged: { eventId: number; downloadId: number }
  ClientGroupDeleted: number
}

/** The payload of an event: its fixed form if it has one. */
export type PayloadOf<E extends string> = E extends keyof EventPayloads ? EventPayloads[E] : unknown
