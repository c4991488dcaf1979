import type { Caller } from '../../core/caller.ts'
import type { SessionRecord } from './store.ts'

/** The owner's sessions are visible only to the owner and to callers without an account. */
export function isHidden(caller: Caller, found: SessionRecord): boolean {
  if (caller.isOwner || found.account === null || !found.account.isOwner) return false
  // A guest has no account either, but is not an administrator.
  return caller.accountId !== null || caller.role === 'guest'
}
