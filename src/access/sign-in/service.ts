import type { Static } from '@sinclair/typebox'
import type { AccessParts } from '../parts.ts'
import type { Caller } from '../../core/caller.ts'
import { usernameKey } from '../accounts/credential-rules.ts'
import type { AccountRecord } from '../accounts/store.ts'
import { verifyPassword } from '../accounts/password.ts'
import { guestDurationHours } from '../guest/duration.ts'
import { stagedRefusal } from '../refusals.ts'
import { never, type IssuedSession } from '../sessions/sessions.ts'
import { hasData } from '../../core/data-facts.ts'
import type { AuthStatus, LoginBody } from './model.ts'
import { prefillMembersOf } from './prefill-members.ts'

/** Checks the three parts of a sign-in and opens a session. Throws 401 for any failure. */
export async function login(
  { control, clock }: Pick<AccessParts, 'control' | 'clock'>,
  request: Request,
  body: Static<typeof LoginBody>,
): Promise<IssuedSession & { role: 'admin' | 'user'; accountId: string }> {
  const { accounts, lockout, audit } = control
  const isKeyRight = control.key.matches(body.apiKey)
  const username = (body.username ?? '').trim()
  const known = accounts.byUsernameKey(usernameKey(username))
  const isPasswordRight = await verifyPassword(body.password ?? '', known?.passwordHash ?? null)
  // Read again: the account may have been disabled or deleted while the hash was computed.
  const account = known === null ? null : accounts.byId(known.id)
  const device = account === null ? null : control.deviceOf(request, account.id)
  const isUsable = account !== null && !account.isDisabled && !lockout.isLocked(account.id, device)
  const isSame = account?.passwordHash === known?.passwordHash
  if (!isKeyRight || !isUsable || !isPasswordRight || !isSame) {
    if (isKeyRight && isUsable && !isPasswordRight) lockout.noteFailure(account.id, device)
    const { ipAddress: address } = control.origin(request)
    audit.note('LoginFailed', { targetAccountId: account?.id ?? null, address })
    control.noteRefused(request, 'sign-in')
    // One answer for every reason, so that it does not reveal which part was wrong.
    throw stagedRefusal('errors.login.invalidCredentials')
  }
  lockout.clear(account.id)
  return openSession({ control, clock }, request, account)
}

/** A session of an account whose holder was recognised. */
export function openSession(
  { control, clock }: Pick<AccessParts, 'control' | 'clock'>,
  request: Request,
  account: AccountRecord,
): IssuedSession & { role: 'admin' | 'user'; accountId: string } {
  const { accounts, audit, sessions } = control
  accounts.update(account.id, { lastLoginAt: clock.now() })
  const { role, id: accountId } = account
  const origin = control.origin(request)
  const issued = sessions.issue({ type: role, accountId, expiresAt: never, ...origin })
  const actor: Caller = {
    kind: 'session',
    sessionId: issued.id,
    role,
    accountId,
    isOwner: account.isOwner,
    prefillGrants: [],
  }
  audit.note('LoginSucceeded', { actor, targetAccountId: accountId })
  return { ...issued, role, accountId }
}

/** Ends the session that the browser held before it got a new one. */
export function endPrevious({ control }: AccessParts, request: Request): void {
  const previous = control.shared === null ? control.sessionOf(request) : null
  if (previous !== null) control.sessions.revoke(previous.id, 'signedIn')
}

export async function authStatus(deps: AccessParts, caller: Caller): Promise<AuthStatus> {
  const { config, control, settings, clock } = deps
  const { store } = control.sessions
  const session = caller.sessionId === null ? null : store.byId(caller.sessionId)
  const grants = session?.type === 'guest' ? store.grants(session.id, clock.now()) : []
  return {
    isAuthenticated: caller.kind === 'session',
    authenticationEnabled: config.security.isAuthenticationEnabled,
    sessionType: caller.role,
    sessionId: caller.sessionId,
    expiresAt: session?.expiresAt.toISOString() ?? null,
    accountId: caller.accountId,
    isMainAdmin: caller.isOwner,
    hasData: await hasData(deps),
    hasBeenInitialized: settings.get('setup.isCompleted'),
    hasDataLoaded: settings.get('depots.isLoaded'),
    guestAccessEnabled: !settings.get('guest.isLocked'),
    guestDurationHours: guestDurationHours(deps),
    ...prefillMembersOf(caller.role, grants),
  }
}
