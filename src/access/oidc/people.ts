import { usernameFault, usernameKey } from '../accounts/credential-rules.ts'
import { hashPassword } from '../accounts/password.ts'
import { newAccount, type AccountRecord } from '../accounts/store.ts'
import type { AccessParts } from '../parts.ts'
import type { IdentityStore } from './identities.ts'
import { OidcRefused, type OidcProvider } from './model.ts'
import { valuesOf, type Claims } from './provider.ts'

/** Room for a number behind a name that is taken. */
const nameCharsMax = 56
const numbersMax = 100

export type PeopleParts = Pick<AccessParts, 'control' | 'clock'> & { identities: IdentityStore }

type Role = 'admin' | 'user'

/** Null: claims do not decide. Throws when the person may not sign in. */
function roleOf({ roleClaim, adminValues, userValues }: OidcProvider, claims: Claims): Role | null {
  if (roleClaim === '') return null
  const values = new Set(valuesOf(claims, roleClaim))
  if (adminValues.some((value) => values.has(value))) return 'admin'
  if (userValues.length === 0 || userValues.some((value) => values.has(value))) return 'user'
  throw new OidcRefused('role')
}

/** Names that a person goes by, the preferred one first, as far as accounts can have them. */
function namesOf({ preferred_username: preferred, name, email, sub }: Claims): string[] {
  return [preferred, typeof email === 'string' ? email.split('@')[0] : '', name, sub]
    .flatMap((one) => (typeof one === 'string' ? one.trim().slice(0, nameCharsMax).trim() : []))
    .filter((one) => usernameFault(one) === null)
}

function freeName({ control }: PeopleParts, claims: Claims): string {
  const [name = 'guest'] = namesOf(claims)
  const names = Array.from({ length: numbersMax }, (_, index) =>
    index === 0 ? name : `${name} ${index + 1}`,
  )
  const free = names.find((one) => control.accounts.byUsernameKey(usernameKey(one)) === null)
  if (free === undefined) throw new OidcRefused('taken')
  return free
}

/** An account with a password that nobody knows; an administrator can set another one. */
function create(
  parts: PeopleParts,
  claims: Claims,
  { role, passwordHash }: { role: Role; passwordHash: string },
): AccountRecord {
  const { control, clock } = parts
  const username = freeName(parts, claims)
  const record = newAccount({ username, passwordHash, role }, clock.now())
  if (!control.accounts.insert(record)) throw new OidcRefused('taken')
  control.audit.note('AccountProvided', { targetAccountId: record.id })
  return record
}

function namesake({ control }: PeopleParts, provider: OidcProvider, claims: Claims) {
  const name = claims['preferred_username']
  if (!provider.linksByName || typeof name !== 'string') return null
  const found = control.accounts.byUsernameKey(usernameKey(name.trim()))
  return found?.isOwner === true ? null : found
}

/** The account of a person; linked or created where the settings allow it. */
async function accountOf(
  parts: PeopleParts,
  { provider, claims, role }: { provider: OidcProvider; claims: Claims; role: Role | null },
): Promise<AccountRecord> {
  const { control, identities, clock } = parts
  const person = { issuer: claims.iss, subject: claims.sub }
  const linked = () => {
    const id = identities.accountOf(person)
    return id === null ? null : control.accounts.byId(id)
  }
  const known = linked()
  if (known !== null) return known
  const found = namesake(parts, provider, claims)
  if (found === null && !provider.createsAccounts) throw new OidcRefused('unknown')
  const secret = crypto.randomUUID() + crypto.randomUUID()
  const passwordHash = found === null ? await hashPassword(secret) : ''
  // While the hash was computed, another tab of this person may have been faster.
  const meanwhile = linked()
  if (meanwhile !== null) return meanwhile
  const account = found ?? create(parts, claims, { role: role ?? 'user', passwordHash })
  identities.link(account.id, person, clock.now())
  control.audit.note('IdentityLinked', { targetAccountId: account.id })
  return account
}

/** The role that the provider names; a change ends the sessions with the old one. */
function withRole({ control }: PeopleParts, account: AccountRecord, role: Role | null) {
  if (role === null || account.isOwner || account.role === role) return account
  control.accounts.update(account.id, { role })
  control.sessions.revokeOfAccount(account.id, 'roleChanged')
  control.audit.note('RoleProvided', { targetAccountId: account.id })
  return { ...account, role }
}

/** The account that a person signs in to, with the role of today. Throws OidcRefused. */
export async function enter(
  parts: PeopleParts,
  request: Request,
  { provider, claims }: { provider: OidcProvider; claims: Claims },
): Promise<AccountRecord> {
  const { control, identities } = parts
  try {
    const role = roleOf(provider, claims)
    const account = await accountOf(parts, { provider, claims, role })
    if (account.isDisabled) throw new OidcRefused('disabled')
    return withRole(parts, account, role)
  } catch (error) {
    const targetAccountId = identities.accountOf({ issuer: claims.iss, subject: claims.sub })
    const { ipAddress: address } = control.origin(request)
    control.audit.note('LoginFailed', { targetAccountId, address })
    control.noteRefused(request, 'sign-in')
    throw error
  }
}

/** Links a person to the account that began it, if its session is still the browser's. */
export function link(
  { control, identities, clock }: PeopleParts,
  request: Request,
  { claims, sessionId }: { claims: Claims; sessionId: string },
): void {
  const session = control.sessionOf(request)
  if (session === null || session.id !== sessionId || session.accountId === null) {
    throw new OidcRefused('expired', true)
  }
  const { accountId } = session
  const person = { issuer: claims.iss, subject: claims.sub }
  const known = identities.accountOf(person)
  if (known === accountId) return
  if (known !== null) throw new OidcRefused('taken', true)
  identities.link(accountId, person, clock.now())
  const actor = control.sessions.caller(session)
  control.audit.note('IdentityLinked', { actor, targetAccountId: accountId })
}
