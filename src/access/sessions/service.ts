import type { AccessParts } from '../parts.ts'
import type { Caller } from '../../core/caller.ts'
import { AppError } from '../../core/http/errors.ts'
import { isRefreshRateLocked, refreshRateOf } from '../preferences/rules.ts'
import { prefillMembersOf } from '../sign-in/prefill-members.ts'
import { createSessionListStore, type GrantRow, type SessionRow, type View } from './list-store.ts'
import type { SessionDto, SessionList } from './model.ts'
import type { SessionRecord } from './store.ts'
import { isHidden } from './visibility.ts'

const pageSizeUsual = 20
const pageSizeMax = 100
/** Ended sessions listed; older ones are still kept for 90 days. */
const endedMax = 500

const clamp = (value: number, min: number, max: number) => Math.min(Math.max(value, min), max)

function toDto(
  row: SessionRow,
  { caller, at, grants }: { caller: Caller; at: Date; grants: readonly GrantRow[] },
): SessionDto {
  return {
    id: row.id,
    sessionType: row.type,
    // Users do not see the accounts of administrators.
    username: caller.role === 'user' && row.accountRole === 'admin' ? null : row.username,
    ipAddress: row.ipAddress,
    userAgent: row.userAgent,
    createdAt: row.createdAt.toISOString(),
    lastSeenAt: row.lastSeenAt.toISOString(),
    expiresAt: row.expiresAt.toISOString(),
    isRevoked: row.revokedAt !== null,
    isCurrentSession: row.id === caller.sessionId,
    isExpired: row.revokedAt === null && row.expiresAt <= at,
    revokedAt: row.revokedAt?.toISOString() ?? null,
    ...prefillMembersOf(
      row.type,
      grants.filter(({ sessionId }) => sessionId === row.id),
    ),
    publicIpAddress: row.publicIpAddress,
    countryCode: row.countryCode,
    countryName: row.countryName,
    regionName: row.regionName,
    city: row.city,
    timezone: row.timezone,
    ispName: row.ispName,
    screenResolution: row.screenResolution,
    browserLanguage: row.browserLanguage,
  }
}

/** Active sessions page by page, with counts over all of them, and the ended ones. */
export function listSessions(
  { state, clock }: AccessParts,
  caller: Caller,
  wanted: { page?: number | undefined; pageSize?: number | undefined },
): SessionList {
  const lists = createSessionListStore(state)
  const at = clock.now()
  const view: View = { at, withoutOwner: !caller.isOwner && caller.accountId !== null }
  const page = Math.max(wanted.page ?? 1, 1)
  const pageSize = clamp(wanted.pageSize ?? pageSizeUsual, 1, pageSizeMax)
  const rows = lists.activePage(view, { limit: pageSize, offset: (page - 1) * pageSize })
  const ended = lists.ended(view, endedMax)
  const counts = lists.countActive(view)
  const totalCount = counts.admin + counts.user + counts.guest
  const guests = rows.filter(({ type }) => type === 'guest').map(({ id }) => id)
  const grants = lists.grants(guests, at)
  return {
    sessions: rows.map((row) => toDto(row, { caller, at, grants })),
    count: totalCount,
    adminCount: counts.admin,
    userCount: counts.user,
    guestCount: counts.guest,
    pagination: { page, pageSize, totalCount, totalPages: Math.ceil(totalCount / pageSize) },
    historySessions: ended.map((row) => toDto(row, { caller, at, grants: [] })),
  }
}

function visible({ control }: AccessParts, caller: Caller, id: string): SessionRecord {
  const found = control.sessions.store.byId(id.toLowerCase())
  if (found === null || isHidden(caller, found)) throw new AppError('notFound', 'Session not found')
  return found
}

/** The session, if it may be ended: the shared session may not. */
function endable(deps: AccessParts, caller: Caller, id: string): SessionRecord {
  const found = visible(deps, caller, id)
  if (found.id !== deps.control.shared?.id) return found
  throw new AppError('refused', 'All browsers share this session while authentication is disabled')
}

const endedType = (caller: Caller, found: SessionRecord) =>
  found.id === caller.sessionId ? found.type : 'unknown'

export function revokeSession(deps: AccessParts, caller: Caller, id: string): void {
  const found = endable(deps, caller, id)
  deps.control.sessions.revoke(found.id, 'revoked', endedType(caller, found))
}

/** Deletes the session with its preferences and grants. */
export function deleteSession(deps: AccessParts, caller: Caller, id: string): void {
  const found = endable(deps, caller, id)
  deps.control.sessions.delete(found.id, endedType(caller, found))
}

/** Sets the dashboard refresh rate of the caller's session; an unknown rate means the default. */
export function setRefreshRate(
  deps: AccessParts,
  caller: Caller,
  { id, rate }: { id: string; rate: string | null },
): void {
  const isGuest = caller.role === 'guest'
  if (isGuest && id.toLowerCase() !== caller.sessionId) throw new AppError('forbidden')
  const found = visible(deps, caller, id)
  if (found.id !== caller.sessionId) throw new AppError('forbidden')
  const { preferences } = deps.control
  const held = preferences.read(found.id)
  if (isGuest && isRefreshRateLocked(deps, held)) {
    const text = 'The refresh rate of guests is locked'
    throw new AppError('refused', text, { extra: { statusCode: 403 } })
  }
  const refreshRate = refreshRateOf(rate)
  preferences.write(found.id, { ...held, refreshRate })
  const data = { sessionId: found.id, refreshRate }
  deps.control.sessions.publishAbout(found.id, 'GuestRefreshRateUpdated', data)
}

export function resetGuests({ control, hub }: AccessParts): number {
  const affectedCount = control.preferences.clearGuests()
  hub.publish('UserPreferencesReset', { affectedCount, sessionType: 'guest' })
  return affectedCount
}

export const clearGuests = ({ control }: AccessParts): number => control.sessions.revokeGuests()
