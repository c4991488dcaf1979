import { desc, lt } from 'drizzle-orm'
import type { StateDatabase } from '../../../db/state/open.ts'
import { audit } from '../../../db/state/schema/access.ts'
import type { Caller } from '../../core/caller.ts'
import type { Clock } from '../../core/lib/clock.ts'

export type AuditEvent =
  | 'AccountCreated'
  | 'AccountDeleted'
  | 'AccountDisabled'
  | 'AccountEnabled'
  | 'AccountsWiped'
  | 'RoleChanged'
  | 'PasswordChanged'
  | 'LoginSucceeded'
  | 'LoginFailed'
  | 'AccountProvided'
  | 'RoleProvided'
  | 'IdentityLinked'
  | 'IdentityUnlinked'
  | 'SignInProviderChanged'
  | 'ApiKeyRotated'
  | 'MainAdminPasswordRecovered'
  | 'DatabaseChanged'
  | 'SetupReopened'
  | 'BackupDownloaded'
  | 'RestoreStarted'
  | 'LinkCreated'
  | 'LinkRevoked'
  | 'NodeInvited'
  | 'NodeJoined'
  | 'NodeRevoked'
  | 'NodeRemoved'

interface Who {
  actor?: Caller
  targetAccountId?: string | null
  /** Where a refused sign-in, or a node, came from. */
  address?: string | null
}

/**
 * Entries kept; the oldest are pruned first. Anybody can cause refused sign-ins, so they make no
 * room at the expense of the others.
 */
const kept = [
  ["event = 'LoginFailed'", 2_000],
  ["event <> 'LoginFailed'", 8_000],
] as const
/** Entries written between two prunings. */
const pruneEvery = 100

export type AuditTrail = ReturnType<typeof createAuditTrail>

/** Records changes to accounts and keys and who made them. Never holds names, passwords or keys. */
export function createAuditTrail(db: StateDatabase, clock: Clock) {
  let written = 0

  function prune(): void {
    for (const [rule, max] of kept) {
      const last = `SELECT id FROM audit WHERE ${rule} ORDER BY id DESC LIMIT 1 OFFSET ?`
      db.sqlite.query(`DELETE FROM audit WHERE ${rule} AND id <= (${last})`).run(max)
    }
  }

  return {
    note(event: AuditEvent, who: Who): void {
      db.db
        .insert(audit)
        .values({
          event,
          actorAccountId: who.actor?.accountId ?? null,
          actorSessionId: who.actor?.sessionId ?? null,
          targetAccountId: who.targetAccountId ?? null,
          detail: who.address ?? null,
          at: clock.now(),
        })
        .run()
      if (written++ % pruneEvery === 0) prune()
    },

    /** Newest first; with `before`, only entries older than that one. */
    read({ limit, before }: { limit: number; before: number | null }) {
      const older = before === null ? undefined : lt(audit.id, before)
      return db.db.select().from(audit).where(older).orderBy(desc(audit.id)).limit(limit).all()
    },
  }
}
