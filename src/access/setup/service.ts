import type { Static, TSchema } from '@sinclair/typebox'
import type { AccessParts } from '../parts.ts'
import { fieldErrors } from '../../core/http/errors.ts'
import { passwordFault, usernameFault, usernameKey } from '../accounts/credential-rules.ts'
import { hashPassword } from '../accounts/password.ts'
import { newAccount } from '../accounts/store.ts'
import { stagedRefusal } from '../refusals.ts'
import type { KeyBody, OwnerBody } from './model.ts'

interface Call<Body extends TSchema> {
  request: Request
  body: Static<Body>
}

/** Throws 400 naming each field's first broken rule. */
function ownerCredentials(body: Static<typeof OwnerBody>) {
  const username = (body.username ?? '').trim()
  const password = body.password ?? ''
  const faults = [usernameFault(username), passwordFault(password, username)]
  const broken = faults.filter((fault) => fault !== null)
  if (broken.length > 0) throw fieldErrors(broken)
  return { username, password }
}

/** Throws 401 unless the body holds the installation key. */
function requireKey({ control }: AccessParts, { request, body }: Call<typeof KeyBody>): void {
  if (control.key.matches(body.apiKey)) return
  control.noteRefused(request, 'installation key')
  throw stagedRefusal('errors.accountSetup.apiKeyRequired')
}

/** Creates the owner, only while there is no account; of two concurrent calls one wins. */
export async function createOwner(deps: AccessParts, call: Call<typeof OwnerBody>): Promise<void> {
  const { username, password } = ownerCredentials(call.body)
  requireKey(deps, call)
  const { accounts, audit, ownerClaim } = deps.control
  if (ownerClaim.isClosed) throw stagedRefusal('errors.accountSetup.claimWindowClosed')
  if (accounts.exists()) throw stagedRefusal('errors.accountSetup.accountExists')
  const passwordHash = await hashPassword(password)
  const record = newAccount({ username, passwordHash, role: 'admin' }, deps.clock.now())
  const { id } = record
  const isFirst = accounts.insertFirst({ ...record, isOwner: true })
  if (!isFirst) throw stagedRefusal('errors.accountSetup.accountExists')
  ownerClaim.isClosed = true
  audit.note('AccountCreated', { targetAccountId: id })
}

/** Opens recovery for an hour. The key proves access to the machine. */
export function openRecovery(deps: AccessParts, call: Call<typeof KeyBody>): void {
  requireKey(deps, call)
  deps.control.recovery.open()
  deps.log.warn('recovery of the owner password is open for an hour')
}

/** Sets the owner's password while recovery is open, and ends the owner's sessions. */
export async function recoverOwner(deps: AccessParts, call: Call<typeof OwnerBody>): Promise<void> {
  const { username, password } = ownerCredentials(call.body)
  requireKey(deps, call)
  const { accounts, audit, lockout, recovery, sessions } = deps.control
  if (!recovery.isOpen()) throw stagedRefusal('errors.accountSetup.recoveryWindowClosed')
  const owner = accounts.owner()
  if (owner === null || owner.usernameKey !== usernameKey(username)) {
    throw stagedRefusal('errors.accountSetup.mainAdminNotFound')
  }
  const passwordHash = await hashPassword(password)
  // Another request may have used the window while the hash was computed.
  if (!recovery.isOpen()) throw stagedRefusal('errors.accountSetup.recoveryWindowClosed')
  recovery.close()
  accounts.update(owner.id, { passwordHash })
  lockout.clear(owner.id)
  sessions.revokeOfAccount(owner.id, 'passwordRecovered')
  audit.note('MainAdminPasswordRecovered', { targetAccountId: owner.id })
}
