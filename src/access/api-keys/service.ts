import type { AccessParts } from '../parts.ts'
import type { Caller } from '../../core/caller.ts'
import { AppError } from '../../core/http/errors.ts'

/** Whether this request carries the installation key in `X-Api-Key`. */
export function keyStatus({ control }: AccessParts, request: Request) {
  const isValid = control.keys.check(request, { bearer: false }) === true
  return { hasApiKey: isValid, keyType: isValid ? 'admin' : 'none', hasPrimaryKey: isValid }
}

/**
 * Issues a new key. Ends everything that relied on the old one: all sessions, all accounts but the
 * owner's, and what the listeners to a rotation remove. With authentication disabled everyone is the
 * owner, so the old key must be presented.
 */
export function regenerateKey({ control }: AccessParts, actor: Caller, request: Request): string {
  if (control.shared !== null && control.keys.check(request, { bearer: true }) !== true) {
    throw new AppError('refused', 'Send the current installation key to replace it')
  }
  const fresh = control.key.rotate()
  // Before the accounts: their sessions go with them, and nobody would close the sockets of these.
  control.endEverySession('keyReplaced')
  for (const { id, isOwner } of control.accounts.all()) {
    control.lockout.clear(id)
    if (!isOwner) control.accounts.delete(id)
  }
  control.audit.note('ApiKeyRotated', { actor })
  control.announceKeyRotated()
  return fresh
}
