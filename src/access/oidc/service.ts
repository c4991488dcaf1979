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
import type { AccessParts } from '../parts.ts'
import { begin, finish, redirectUri, type FlowParts } from './flow.ts'
import { createHandshakes } from './handshake.ts'
import { IdentityStore } from './identities.ts'
import { OidcRefused, type OidcProvider } from './model.ts'
import { createOidcClient, failureOf } from './provider.ts'

function flowParts({ control, clock, config, settings, ...deps }: AccessParts): FlowParts {
  const { credentials, state, log } = deps
  return {
    control,
    clock,
    config,
    settings,
    identities: new IdentityStore(state),
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
