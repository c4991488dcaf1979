import { eq } from 'drizzle-orm'
import type { StateDatabase } from '../../../db/state/open.ts'
import { session } from '../../../db/state/schema/access.ts'

/** When a session ends; null when it is revoked or missing. */
export function readSessionExpiry({ db }: StateDatabase, sessionId: string): Date | null {
  const row = db
    .select({ expiresAt: session.expiresAt, revokedAt: session.revokedAt })
    .from(session)
    .where(eq(session.id, sessionId))
    .get()
  return row === undefined || row.revokedAt !== null ? null : row.expiresAt
}
