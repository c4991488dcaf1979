import type { Static } from '@sinclair/typebox'
import type { AccessParts } from '../parts.ts'
import type { Caller } from '../../core/caller.ts'
import { passwordFault } from '../accounts/credential-rules.ts'
import { hashPassword, verifyPassword } from '../accounts/password.ts'
import { stagedRefusal } from '../refusals.ts'
import type { PasswordBody } from './model.ts'

/**
 * Sets a new password for the caller's account. Its other sessions end, and the caller's token is
 * replaced at once, so that copies of the old one are worthless.
 */
export async function changePassword(
  { control }: AccessParts,
  caller: Caller,
  { request, body }: { request: Request; body: Static<typeof PasswordBody> },
): Promise<{ token: string; expiresAt: Date }> {
  const { accounts, lockout, sessions, audit } = control
  const account = caller.accountId === null ? null : accounts.byId(caller.accountId)
  if (account === null || caller.sessionId === null) {
    throw stagedRefusal('errors.password.accountRequired')
  }
  const device = control.deviceOf(request, account.id)
  if (lockout.isLocked(account.id, device)) throw stagedRefusal('errors.password.locked')
  if (!(await verifyPassword(body.currentPassword ?? '', account.passwordHash))) {
    lockout.noteFailure(account.id, device)
    control.noteRefused(request, 'current password')
    throw stagedRefusal('errors.password.incorrect')
  }
  const fresh = body.newPassword ?? ''
  const fault = passwordFault(fresh, account.username)
  if (fault !== null) throw stagedRefusal('errors.password.rejected', fault.message)
  const passwordHash = await hashPassword(fresh)
  const session = sessions.store.byId(caller.sessionId)
  // The session may have been ended while the hashes were computed.
  if (session === null || !sessions.isActive(session)) {
    throw stagedRefusal('errors.password.accountRequired')
  }
  accounts.update(account.id, { passwordHash })
  lockout.clear(account.id)
  sessions.revokeOfAccount(account.id, 'passwordChanged', session.id)
  audit.note('PasswordChanged', { actor: caller, targetAccountId: account.id })
  return { token: sessions.replaceToken(session.id), expiresAt: session.expiresAt }
}
