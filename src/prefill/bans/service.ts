import type { Caller } from '../../core/caller.ts'
import { AppError } from '../../core/http/errors.ts'
import { instantOf } from '../../core/lib/instant.ts'
import type { BannedPrefillUser, BanBody, BanSessionBody } from '../administration/model.ts'
import { hidesOwners, type PrefillParts } from '../parts.ts'
import { reasons } from '../reasons.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { banName, type BanRow } from './store.ts'

const nobody = 'Could not ban user - session not found or has no identity to ban.'

function endOf(text: string | null | undefined, now: Date): Date | null {
  if (text === null || text === undefined) return null
  const at = instantOf(text)
  if (at === null) throw new AppError('invalid', 'expiresAt is not a date')
  if (at <= now) throw new AppError('invalid', 'expiresAt is in the past: this bans nobody')
  return at
}

interface Viewing extends Pick<PrefillParts, 'users'> {
  caller: Caller
  now: Date
}

/** A ban in the API; one that the owner made does not name the owner to others. */
function banView(row: BanRow, { caller, users, now }: Viewing): BannedPrefillUser {
  const isHidden = row.isOwners && hidesOwners(caller)
  const isExpired = row.expiresAt !== null && row.expiresAt <= now
  return {
    id: row.id,
    username: row.username,
    bannedUserId: row.userId,
    user: row.userId === null ? null : (users.originOf(row.userId)?.user ?? null),
    banReason: row.reason,
    bannedBySessionId: isHidden ? null : row.bannedBySessionId,
    bannedAtUtc: row.bannedAt.toISOString(),
    bannedBy: isHidden ? null : row.bannedBy,
    expiresAtUtc: row.expiresAt?.toISOString() ?? null,
    isLifted: row.liftedAt !== null,
    liftedAtUtc: row.liftedAt?.toISOString() ?? null,
    liftedBy: row.liftedBy,
    isActive: row.liftedAt === null && !isExpired,
  }
}

const ending = (caller: Caller) => ({
  reason: reasons.banned,
  by: caller.sessionId ?? 'system',
  isForced: true,
})

export type BanService = ReturnType<typeof createBanService>

/** Bans of platform accounts and of users; those that the owner made hide the owner from others. */
export function createBanService({ clock, users }: PrefillParts, sessions: Sessions) {
  const { bans, rows } = sessions.stores
  const view = (row: BanRow, caller: Caller) => banView(row, { caller, users, now: clock.now() })

  function add(
    caller: Caller,
    who: Pick<BanRow, 'username' | 'userId'>,
    { reason, expiresAt }: BanSessionBody,
  ): BanRow {
    return bans.add({
      ...who,
      reason: reason ?? null,
      bannedBySessionId: caller.sessionId,
      bannedBy: caller.sessionId,
      isOwners: caller.isOwner && caller.accountId !== null,
      bannedAt: clock.now(),
      expiresAt: endOf(expiresAt, clock.now()),
    })
  }

  return {
    list: (caller: Caller, includesLifted: boolean) =>
      bans.list(includesLifted, clock.now()).map((row) => view(row, caller)),

    /** Bans a platform account and ends its sessions. Throws AppError `invalid`. */
    async byName(caller: Caller, body: BanBody): Promise<BannedPrefillUser> {
      const username = banName(body.username ?? '')
      if (username === '') throw new AppError('invalid', 'Username is required')
      const row = add(caller, { username, userId: null }, body)
      const banned = sessions
        .all()
        .filter((one) =>
          [one.username, one.accountUsername].some(
            (name) => name !== null && banName(name) === username,
          ),
        )
      await Promise.all(banned.map((session) => sessions.end(session, ending(caller))))
      return view(row, caller)
    },

    /** Bans the account of a session, or its user, and ends it. Throws AppError `invalid`. */
    async bySession(
      caller: Caller,
      sessionId: string,
      body: BanSessionBody,
    ): Promise<BannedPrefillUser> {
      const known = rows.find(sessionId)
      const isHidden = known?.isOwners === true && hidesOwners(caller)
      if (known === null || isHidden) throw new AppError('invalid', nobody)
      const name = sessions.get(sessionId)?.accountUsername ?? known.accountUsername
      if (name === null && known.isPersistent) throw new AppError('invalid', nobody)
      const who =
        name === null
          ? { username: null, userId: known.userId }
          : { username: banName(name), userId: null }
      const row = add(caller, who, body)
      const session = sessions.get(sessionId)
      if (session !== null) await sessions.end(session, ending(caller))
      return view(row, caller)
    },

    /** Throws AppError `notFound`. */
    lift(caller: Caller, id: number): void {
      const row = bans.find(id)
      if (row === null || row.liftedAt !== null) {
        throw new AppError('notFound', 'Ban not found or already lifted')
      }
      bans.lift(id, caller.sessionId ?? 'system', clock.now())
    },
  }
}
