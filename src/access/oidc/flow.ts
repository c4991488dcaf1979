import type { Logger } from '../../core/lib/log.ts'
import type { AccountRecord } from '../accounts/store.ts'
import type { AccessParts } from '../parts.ts'
import type { createHandshakes } from './handshake.ts'
import { OidcRefused, type OidcProvider } from './model.ts'
import { enter, link, type PeopleParts } from './people.ts'
import { failureOf, isCancelled, type createOidcClient } from './provider.ts'

const callbackPath = '/api/ext/oidc/callback'

export interface FlowParts extends PeopleParts {
  config: AccessParts['config']
  settings: AccessParts['settings']
  client: ReturnType<typeof createOidcClient>
  handshakes: ReturnType<typeof createHandshakes>
  secret: () => string | null
  log: Logger
}

/** Where the provider sends the browser back to. */
export function redirectUri({ settings, config, control }: FlowParts, request: Request): string {
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
export async function begin(
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
 * The browser is back: null after a link, else the account to open a session for. Throws
 * OidcRefused.
 */
export async function finish(
  parts: FlowParts,
  request: Request,
): Promise<{ account: AccountRecord | null; returnPath: string }> {
  const handshake = parts.handshakes.of(request)
  if (handshake === null) throw new OidcRefused('expired')
  const { linksSession: sessionId, returnPath } = handshake
  const isLink = sessionId !== null
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
