import type { pageQuery } from './model.ts'
import type { QueryOf } from '../../core/http/schema.ts'
import { isAccountHolder, type Caller } from '../../core/caller.ts'
import { AppError } from '../../core/http/errors.ts'
import { hidesOwners, type PrefillParts } from '../parts.ts'
import { platformFacts, platformOf } from '../../platforms/platforms.ts'
import { reasons } from '../reasons.ts'
import type { DaemonSession } from '../sessions/model.ts'
import type { HistoryRow } from '../sessions/history-store.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { LiveSession } from '../sessions/state.ts'
import type { RowStatus, SessionRow } from '../sessions/store.ts'
import { sessionView } from '../sessions/view.ts'
import type {
  CachedApp,
  HistoryEntry,
  PrefillSessionDto,
  SessionPage,
  TerminateBody,
} from './model.ts'

const pageSizeUsual = 20
const pageSizeMax = 200
const pageMax = 1_000_000
const statuses = ['Active', 'Terminated', 'Orphaned', 'Cleaned', 'Cancelled'] as const

export type PageQuery = QueryOf<typeof pageQuery>

const clamp = (value: number, min: number, max: number) => Math.min(Math.max(value, min), max)

const statusOf = (text: string | undefined): RowStatus | null =>
  statuses.find((one) => one.toLowerCase() === text?.trim().toLowerCase()) ?? null

/** The row, with the values of the session while it runs. */
const rowView = (
  row: SessionRow,
  { live, user }: { live: LiveSession | null; user: string | null },
): PrefillSessionDto => ({
  id: row.id,
  sessionId: row.sessionId,
  createdBySessionId: row.userId,
  containerId: row.containerId,
  containerName: row.containerName,
  accountUsername: live?.accountUsername ?? row.accountUsername,
  platform: platformFacts[row.platform].name,
  username: live?.username ?? row.username ?? row.accountUsername,
  status: row.status,
  isAuthenticated: live === null ? row.isAuthenticated : live.authState === 'Authenticated',
  isPrefilling: (live?.run ?? null) !== null,
  createdAtUtc: row.createdAt.toISOString(),
  endedAtUtc: row.endedAt?.toISOString() ?? null,
  expiresAtUtc: (live?.expiresAt ?? row.expiresAt).toISOString(),
  terminationReason: row.terminationReason,
  terminatedBy: row.terminatedBy,
  isLive: live !== null,
  isPersistent: row.isPersistent,
  user,
  errorMessage: live?.errorMessage ?? null,
})

const historyView = (row: HistoryRow): HistoryEntry => ({
  id: row.id,
  sessionId: row.sessionId,
  appId: row.appId,
  appName: row.appName,
  startedAtUtc: row.startedAt.toISOString(),
  completedAtUtc: row.completedAt?.toISOString() ?? null,
  bytesDownloaded: row.bytesDownloaded,
  totalBytes: row.totalBytes,
  status: row.status,
  errorMessage: row.errorMessage,
  scheduleId: row.scheduleId,
  scheduleName: row.scheduleName,
})

export type AdministrationService = ReturnType<typeof createAdministration>

export function createAdministration({ clock, users }: PrefillParts, sessions: Sessions) {
  const { rows, history, depots } = sessions.stores

  const visible = (caller: Caller): LiveSession[] =>
    sessions.all().filter(({ isOwners }) => !isOwners || !hidesOwners(caller))

  const ending = (caller: Caller, { reason, force }: TerminateBody, isForced: boolean) => ({
    reason: reason ?? reasons.terminated,
    by: caller.sessionId ?? 'system',
    isForced: force ?? isForced,
  })

  return {
    page(caller: Caller, query: PageQuery): SessionPage {
      const page = clamp(query.page ?? 1, 1, pageMax)
      const pageSize = clamp(query.pageSize ?? pageSizeUsual, 1, pageSizeMax)
      const filter = {
        status: statusOf(query.status),
        platform: query.platform === undefined ? null : platformOf(query.platform),
        withoutOwners: hidesOwners(caller),
      }
      const found = rows.page(filter, { limit: pageSize, offset: (page - 1) * pageSize })
      return {
        sessions: found.map((row) => {
          const user = users.originOf(row.userId)?.user ?? null
          return rowView(row, { live: sessions.get(row.sessionId), user })
        }),
        totalCount: rows.count(filter),
        page,
        pageSize,
        lastPrefillCacheIp: sessions.lastCache?.address ?? null,
        lastPrefillCacheIpSource: sessions.lastCache?.source ?? null,
      }
    },

    active: (caller: Caller): DaemonSession[] =>
      visible(caller).map((session) => sessionView(session, clock.now())),

    /** Throws AppError `notFound`. */
    history(caller: Caller, sessionId: string): HistoryEntry[] {
      const row = rows.find(sessionId)
      if (row === null || (row.isOwners && hidesOwners(caller))) {
        throw new AppError('notFound', 'Session not found')
      }
      return history.ofSession(sessionId).map(historyView)
    },

    /** An unknown session is no error: it has ended. Throws AppError `invalid`. */
    async terminate(caller: Caller, sessionId: string, body: TerminateBody): Promise<void> {
      const session = visible(caller).find(({ id }) => id === sessionId)
      if (session === undefined) return
      if (session.isPersistent) {
        throw new AppError('invalid', 'This is a persistent session; stop it where it is managed')
      }
      await sessions.end(session, ending(caller, body, false))
    },

    /** Returns how many were ended; persistent sessions stay. */
    async terminateAll(caller: Caller, body: TerminateBody): Promise<number> {
      const temporary = visible(caller).filter(({ isPersistent }) => !isPersistent)
      await Promise.all(
        temporary.map((session) => sessions.end(session, ending(caller, body, true))),
      )
      return temporary.length
    },

    /** Guests are not told whose accounts prefilled. */
    cachedApps: (caller: Caller): CachedApp[] =>
      depots.apps().map(({ cachedAt, cachedBy, ...app }) => ({
        ...app,
        cachedAtUtc: cachedAt.toISOString(),
        cachedBy: isAccountHolder(caller) ? cachedBy : null,
      })),

    clearCache: () => depots.clear(),
  }
}
