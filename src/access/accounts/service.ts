import type { AccessParts } from '../parts.ts'
import type { Caller, Role } from '../../core/caller.ts'
import { stagedRefusal } from '../refusals.ts'
import { passwordFault, usernameFault, usernameKey } from './credential-rules.ts'
import type { Account, AccountChange, NewAccount } from './model.ts'
import { hashPassword } from './password.ts'
import { newAccount, type AccountRecord } from './store.ts'

const toAccount = (record: AccountRecord): Account => ({
  id: record.id,
  username: record.username,
  role: record.role,
  isMainAdmin: record.isOwner,
  isDisabled: record.isDisabled,
  createdAtUtc: record.createdAt.toISOString(),
  lastLoginAtUtc: record.lastLoginAt?.toISOString() ?? null,
})

/**
 * The owner sees everyone, an admin everyone but the owner, a user everyone but owner and admins.
 */
function isVisible(caller: Caller, record: AccountRecord): boolean {
  if (caller.isOwner || caller.accountId === null) return true
  return caller.role === 'admin' ? !record.isOwner : record.role !== 'admin'
}

function visible({ control }: AccessParts, caller: Caller, id: string): AccountRecord {
  const record = control.accounts.byId(id.toLowerCase())
  if (record === null || !isVisible(caller, record)) {
    throw stagedRefusal('errors.accounts.notFound')
  }
  return record
}

/** The account, if the caller may change it: visible and not the owner's. */
function changeable(deps: AccessParts, caller: Caller, id: string): AccountRecord {
  const record = visible(deps, caller, id)
  if (record.isOwner) throw stagedRefusal('errors.accounts.mainAdminProtected')
  return record
}

function refuseSelf(caller: Caller, record: AccountRecord): void {
  if (record.id === caller.accountId) throw stagedRefusal('errors.accounts.selfProtected')
}

function requireAssignable(caller: Caller, role: Role): 'admin' | 'user' {
  if (role === 'guest') throw stagedRefusal('errors.accounts.roleNotAssignable')
  return role === 'admin' && !caller.isOwner ? refuseAdmin() : role
}

function refuseAdmin(): never {
  throw stagedRefusal('errors.accounts.adminRoleRequiresMainAdmin')
}

/** Throws for the first broken rule. Without a password only the name is checked. */
function requireCredentials(username: string, password: string | null): void {
  const fault =
    usernameFault(username) ?? (password === null ? null : passwordFault(password, username))
  if (fault !== null) throw stagedRefusal('errors.accounts.credentialsRejected', fault.message)
}

export function listAccounts({ control }: AccessParts, caller: Caller): Account[] {
  return control.accounts
    .all()
    .filter((record) => isVisible(caller, record))
    .map(toAccount)
}

export const readAccount = (deps: AccessParts, caller: Caller, id: string): Account =>
  toAccount(visible(deps, caller, id))

export async function createAccount(
  { control, clock }: AccessParts,
  actor: Caller,
  body: NewAccount,
): Promise<Account> {
  const role = requireAssignable(actor, body.role)
  const username = (body.username ?? '').trim()
  const password = body.password ?? ''
  requireCredentials(username, password)
  const record = newAccount({ username, passwordHash: '', role }, clock.now())
  // Checked before the costly hash; the unique index checks again.
  if (control.accounts.byUsernameKey(record.usernameKey) !== null) {
    throw stagedRefusal('errors.accounts.usernameTaken')
  }
  record.passwordHash = await hashPassword(password)
  if (!control.accounts.insert(record)) throw stagedRefusal('errors.accounts.usernameTaken')
  control.audit.note('AccountCreated', { actor, targetAccountId: record.id })
  return toAccount(record)
}

/** Renames, and sets a password when one is given, which ends the account's sessions. */
export async function changeAccount(
  deps: AccessParts,
  actor: Caller,
  { id, body }: { id: string; body: AccountChange },
): Promise<Account> {
  const { accounts, audit, lockout, sessions } = deps.control
  const record = changeable(deps, actor, id)
  const username = (body.username ?? '').trim()
  const password = body.password ?? null
  requireCredentials(username, password)
  const key = usernameKey(username)
  const isTaken = () => (accounts.byUsernameKey(key)?.id ?? record.id) !== record.id
  if (isTaken()) throw stagedRefusal('errors.accounts.usernameTaken')
  const passwordHash = password === null ? null : await hashPassword(password)
  // While the hash was computed, it may have become an account that the caller may not change.
  changeable(deps, actor, id)
  if (isTaken()) throw stagedRefusal('errors.accounts.usernameTaken')
  const secret = passwordHash === null ? {} : { passwordHash }
  accounts.update(record.id, { username, usernameKey: key, ...secret })
  if (passwordHash !== null) {
    lockout.clear(record.id)
    sessions.revokeOfAccount(record.id, 'passwordChanged')
    audit.note('PasswordChanged', { actor, targetAccountId: record.id })
  }
  return readAccount(deps, actor, record.id)
}

/** Ends the account's sessions, because the role decides what they may do. */
export function setRole(
  deps: AccessParts,
  actor: Caller,
  { id, role: wanted }: { id: string; role: Role },
): Account {
  if (wanted === 'guest') throw stagedRefusal('errors.accounts.roleNotAssignable')
  const record = changeable(deps, actor, id)
  const role = requireAssignable(actor, wanted)
  refuseSelf(actor, record)
  deps.control.accounts.update(record.id, { role })
  deps.control.sessions.revokeOfAccount(record.id, 'roleChanged')
  deps.control.audit.note('RoleChanged', { actor, targetAccountId: record.id })
  return toAccount({ ...record, role })
}

export function setDisabled(
  deps: AccessParts,
  actor: Caller,
  { id, isDisabled }: { id: string; isDisabled: boolean },
): Account {
  const record = changeable(deps, actor, id)
  refuseSelf(actor, record)
  deps.control.accounts.update(record.id, { isDisabled })
  if (isDisabled) deps.control.sessions.revokeOfAccount(record.id, 'accountDisabled')
  const event = isDisabled ? 'AccountDisabled' : 'AccountEnabled'
  deps.control.audit.note(event, { actor, targetAccountId: record.id })
  return toAccount({ ...record, isDisabled })
}

export function deleteAccount(deps: AccessParts, actor: Caller, id: string): void {
  const record = changeable(deps, actor, id)
  refuseSelf(actor, record)
  const { accounts, audit, lockout, sessions } = deps.control
  sessions.revokeOfAccount(record.id, 'accountDeleted')
  accounts.delete(record.id)
  lockout.clear(record.id)
  audit.note('AccountDeleted', { actor, targetAccountId: record.id })
}

/** Deletes all accounts and sessions; the installation can then be claimed again with the key. */
export function wipeAccounts(deps: AccessParts, actor: Caller): void {
  // With authentication disabled everyone acts as the owner: not enough here.
  if (actor.accountId === null) throw stagedRefusal('errors.accounts.wipeRequiresMainAdmin')
  const { accounts, audit, lockout, ownerClaim } = deps.control
  // Before the accounts: their sessions go with them, and nobody would close the sockets of these.
  deps.control.endEverySession('accountsDeleted')
  for (const { id } of accounts.all()) lockout.clear(id)
  accounts.deleteAll()
  ownerClaim.isClosed = false
  audit.note('AccountsWiped', { actor })
}
