/*
 * Sign-in with accounts of an OpenID Connect provider, beside the local one, which always stays. The
 * provider decides about second factors and passwords; the installation key is not asked for. A person
 * is known by issuer and subject alone: names and addresses of e-mail can be changed at many
 * providers. An account is linked while its holder is signed in, is created at the first sign-in, or,
 * where the owner allows it, is found by name; the owner's never is. With a claim for roles the
 * provider decides at each sign-in who is an administrator; the owner stays the owner.
 */
import type { Caller } from '../../core/caller.ts'
import { AppError } from '../../core/http/errors.ts'
import type { Logger } from '../../core/lib/log.ts'
import type { AccessParts } from '../parts.ts'
import { type AccountRecord, newAccount } from '../accounts/store.ts'
import { usernameFault, usernameKey } from '../accounts/credential-rules.ts'
import { hashPassword } from '../accounts/password.ts'
import { createHandshakes } from './handshake.ts'
import { createIdentityStore, type IdentityStore } from './identities.ts'
import { OidcRefused, type OidcProvider } from './model.ts'
import { createOidcClient, failureOf, isCancelled, valuesOf, type Claims } from './provider.ts'

/** Room for a number behind a name that is taken. */
const nameCharsMax = 56
const numbersMax = 100

type PeopleParts = Pick<AccessParts, 'control' | 'clock'> & { identities: IdentityStore }

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
async function enter(
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
function link(
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

const callbackPath = '/api/ext/oidc/callback'

interface FlowParts extends PeopleParts {
  config: AccessParts['config']
  settings: AccessParts['settings']
  client: ReturnType<typeof createOidcClient>
  handshakes: ReturnType<typeof createHandshakes>
  secret: () => string | null
  log: Logger
}

/** Where the provider sends the browser back to. */
function redirectUri({ settings, config, control }: FlowParts, request: Request): string {
  const { publicUrl = '' } = settings.get('oidc.provider') ?? {}
  if (publicUrl !== '') return publicUrl + callbackPath
  const { address } = control
  const host = address.forwardedHosts(request)[0]?.trim() ?? request.headers.get('host')
  const isSecure = config.tls !== null || address.isSecure(request)
  return `${isSecure ? 'https' : 'http'}://${host ?? new URL(request.url).host}${callbackPath}`
}

function usedProvider({ settings, control }: FlowParts, isLink: boolean): OidcProvider {
  const provider = settings.get('oidc.provider')
  // Without authentication everyone is in already.
  if (provider === null || control.shared !== null) throw new OidcRefused('off', isLink)
  return provider
}

/** Where the browser goes, and what it carries until it is back. Throws OidcRefused. */
async function begin(
  parts: FlowParts,
  request: Request,
  { linksSession, returnPath }: { linksSession: string | null; returnPath: string },
) {
  const isLink = linksSession !== null
  const provider = usedProvider(parts, isLink)
  const handshake = parts.handshakes.begin(linksSession, returnPath)
  const options = { handshake, redirectUri: redirectUri(parts, request) }
  try {
    return { url: await parts.client.address(provider, parts.secret(), options), handshake }
  } catch (error) {
    parts.log.warn(`the sign-in provider cannot be used: ${failureOf(error)}`)
    throw new OidcRefused('provider', isLink)
  }
}

/**
 * Counts a return as an attempt to sign in. Not on the route line: the browser shows the answer, so
 * the refusal has to be a page. Throws OidcRefused.
 */
function countAttempt({ control }: FlowParts, request: Request, isLink: boolean): void {
  try {
    control.gate.limit(request, 'auth')
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    throw new OidcRefused('limit', isLink)
  }
}

/**
 * The browser is back: null after a link, else the account to open a session for. Throws
 * OidcRefused.
 */
async function finish(
  parts: FlowParts,
  request: Request,
): Promise<{ account: AccountRecord | null; returnPath: string }> {
  const handshake = parts.handshakes.of(request)
  const isLink = handshake !== null && handshake.linksSession !== null
  countAttempt(parts, request, isLink)
  if (handshake === null) throw new OidcRefused('expired')
  const { linksSession: sessionId, returnPath } = handshake
  const provider = usedProvider(parts, isLink)
  const currentUrl = new URL(redirectUri(parts, request))
  currentUrl.search = new URL(request.url).search
  const claims = await parts.client
    .claims(provider, parts.secret(), { handshake, currentUrl })
    .catch((error: unknown) => {
      parts.log.warn(`a sign-in through the provider failed: ${failureOf(error)}`)
      throw new OidcRefused(isCancelled(error) ? 'cancelled' : 'provider', isLink)
    })
  if (sessionId === null) {
    return { account: await enter(parts, request, { provider, claims }), returnPath }
  }
  link(parts, request, { claims, sessionId })
  return { account: null, returnPath }
}

function flowParts({ control, clock, config, settings, ...deps }: AccessParts): FlowParts {
  const { credentials, state, log } = deps
  return {
    control,
    clock,
    config,
    settings,
    identities: createIdentityStore(state),
    client: createOidcClient(),
    handshakes: createHandshakes(config.dataPath, clock),
    secret() {
      const kept = credentials.read('oidc.clientSecret')
      return kept.state === 'kept' ? kept.secret : null
    },
    log: log.child({ part: 'oidc' }),
  }
}

export function oidcService(deps: AccessParts) {
  const parts = flowParts(deps)
  const { control, settings, identities, client } = parts
  const { credentials } = deps
  return {
    status({ accountId }: Caller) {
      const provider = control.shared === null ? settings.get('oidc.provider') : null
      return {
        label: provider === null ? null : provider.label || new URL(provider.issuer).host,
        isLinked: accountId !== null && identities.hasAccount(accountId),
      }
    },
    read: (request: Request) => ({
      provider: settings.get('oidc.provider'),
      hasSecret: parts.secret() !== null,
      redirectUri: redirectUri(parts, request),
    }),
    change(actor: Caller, provider: OidcProvider | null, secret: string | undefined): void {
      settings.set('oidc.provider', provider)
      if (provider === null || secret === '') credentials.forget('oidc.clientSecret')
      else if (secret !== undefined) credentials.keep('oidc.clientSecret', secret)
      control.audit.note('SignInProviderChanged', { actor })
    },
    /** Asks a provider for its metadata before it is saved. Throws 400 with the reason. */
    async test(provider: OidcProvider, secret: string | undefined) {
      try {
        return await client.test(provider, secret ?? parts.secret())
      } catch (error) {
        throw new AppError('invalid', `The provider cannot be used: ${failureOf(error)}`)
      }
    },
    begin: (request: Request, returnPath: string) =>
      begin(parts, request, { linksSession: null, returnPath }),
    /** To link the caller's account; throws AppError. */
    async beginLink(request: Request, { accountId, sessionId }: Caller, returnPath: string) {
      if (accountId === null) throw new AppError('refused', 'You are not signed in with an account')
      try {
        return await begin(parts, request, { linksSession: sessionId, returnPath })
      } catch (error) {
        if (!(error instanceof OidcRefused)) throw error
        throw new AppError('conflict', 'The provider of sign-ins is off or cannot be reached')
      }
    },
    unlink(actor: Caller): void {
      if (actor.accountId === null || !identities.unlink(actor.accountId)) {
        throw new AppError('notFound', 'Your account is not linked')
      }
      control.audit.note('IdentityUnlinked', { actor, targetAccountId: actor.accountId })
    },
    finish: (request: Request) => finish(parts, request),
  }
}

export type OidcService = ReturnType<typeof oidcService>
