import type { Caller } from '../../core/caller.ts'
import type { SessionRecord } from './store.ts'

/** The owner's sessions do not exist for anybody but the owner and callers without an account. */
export function isHidden(caller: Caller, found: SessionRecord): boolean {
  if (caller.isOwner || found.account === null || !found.account.isOwner) return false
  // A guest has no account either, but is nobody's administrator.
  return caller.accountId !== null || caller.role === 'guest'
}
