import type { Configuration, CustomFetch } from 'openid-client'
import { createOutside, OutsideError } from '../../core/lib/outside.ts'
import { isRecord } from '../../core/lib/record.ts'
import type { Handshake } from './handshake.ts'
import type { OidcProvider } from './model.ts'

const timeoutSeconds = 15
/** Keys and metadata of providers have a few kilobytes. */
const answerBytesMax = 1024 * 1024
/** Providers replace addresses and keys seldom; a failure is not kept. */
const keptMs = 10 * 60_000
const refusals = Array.from({ length: 100 }, (_, index) => 400 + index)

/** What a provider says of a person: claims of the ID token, and of the user info. */
export type Claims = Readonly<Record<string, unknown>> & { iss: string; sub: string }

/** Loaded when a provider is used. */
const library = () => import('openid-client')

/** Addresses are judged as those of all services that a person has typed. */
function judgedFetch(): CustomFetch {
  const outside = createOutside({ gapMs: 0 })
  return (url, { method, headers, body }) => {
    if (method !== 'GET' && method !== 'POST') throw new TypeError(`unexpected method ${method}`)
    const sent = body instanceof URLSearchParams ? body.toString() : ''
    const limits = { timeoutMs: timeoutSeconds * 1000, bytesMax: answerBytesMax, attempts: 1 }
    const request = { url, method, headers, ...limits, isChosen: true, accepts: refusals } as const
    return outside.get({ ...request, ...(method === 'POST' && { body: sent }) }, async (answer) => {
      const { status, headers: received } = answer
      return new Response(await answer.arrayBuffer(), { status, headers: received })
    })
  }
}

async function discover({ issuer, clientId }: OidcProvider, secret: string | null) {
  const client = await library()
  // The standard's default for clients; Authelia accepts nothing else unless it is told to.
  const proof = secret === null ? client.None() : client.ClientSecretBasic(secret)
  const isPlain = new URL(issuer).protocol === 'http:'
  return client.discovery(new URL(issuer), clientId, undefined, proof, {
    timeout: timeoutSeconds,
    [client.customFetch]: judgedFetch(),
    // Signatures are checked also where TLS would vouch for the token.
    execute: [
      client.enableNonRepudiationChecks,
      ...(isPlain ? [client.allowInsecureRequests] : []),
    ],
  })
}

/** The provider's own words for a refusal: `error` of RFC 6749, in its answer or the address. */
function refusalOf(error: unknown): { error: string; description: string } | null {
  if (!(error instanceof Error) || !('error' in error) || typeof error.error !== 'string')
    return null
  const text = 'error_description' in error ? error.error_description : null
  return { error: error.error, description: typeof text === 'string' ? text : '' }
}

/** What failed, for the log: never a token, a code or a secret. */
export function failureOf(error: unknown): string {
  if (error instanceof OutsideError) return error.message
  const refusal = refusalOf(error)
  if (refusal !== null) return `${refusal.error} ${refusal.description}`.trim().slice(0, 300)
  if (!(error instanceof Error)) return 'unknown reason'
  return error.cause instanceof Error ? failureOf(error.cause) : error.message.slice(0, 300)
}

/** Whether the provider says that the person broke off. */
export const isCancelled = (error: unknown): boolean => refusalOf(error)?.error === 'access_denied'

/** Speaks with the configured provider (OpenID Connect, authorization code with PKCE). */
export function createOidcClient() {
  let known: { key: string; untilMs: number; config: Configuration } | null = null

  async function configuration(provider: OidcProvider, secret: string | null) {
    const key = JSON.stringify([provider.issuer, provider.clientId, secret])
    if (known?.key === key && known.untilMs > performance.now()) return known.config
    const config = await discover(provider, secret)
    known = { key, untilMs: performance.now() + keptMs, config }
    return config
  }

  return {
    /** Asks the provider for its metadata. Rejects with what `failureOf` words. */
    async test(provider: OidcProvider, secret: string | null) {
      const metadata = (await discover(provider, secret)).serverMetadata()
      const { issuer, authorization_endpoint: authorizationEndpoint = '' } = metadata
      return { issuer, authorizationEndpoint }
    },
    /** Where the browser goes. */
    async address(
      provider: OidcProvider,
      secret: string | null,
      { handshake, redirectUri }: { handshake: Handshake; redirectUri: string },
    ): Promise<string> {
      const client = await library()
      const config = await configuration(provider, secret)
      const scopes = new Set(['openid', ...provider.scopes.split(/\s+/).filter(Boolean)])
      const url = client.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: [...scopes].join(' '),
        state: handshake.state,
        nonce: handshake.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(handshake.verifier),
        code_challenge_method: 'S256',
      })
      return url.href
    },
    /** The person who came back to `currentUrl`. */
    async claims(
      provider: OidcProvider,
      secret: string | null,
      { handshake, currentUrl }: { handshake: Handshake; currentUrl: URL },
    ): Promise<Claims> {
      const client = await library()
      const config = await configuration(provider, secret)
      const tokens = await client.authorizationCodeGrant(config, currentUrl, {
        expectedState: handshake.state,
        expectedNonce: handshake.nonce,
        pkceCodeVerifier: handshake.verifier,
        idTokenExpected: true,
      })
      const claims = tokens.claims()
      if (claims === undefined) throw new Error('the provider sent no ID token')
      if (config.serverMetadata().userinfo_endpoint === undefined) return claims
      // Groups are often only there.
      const info = await client.fetchUserInfo(config, tokens.access_token, claims.sub)
      return { ...info, ...claims }
    },
  }
}

/** Texts of a claim, whose name may lead into objects: `realm_access.roles`. */
export function valuesOf(claims: Claims, name: string): string[] {
  let value: unknown = claims[name]
  if (value === undefined) {
    value = claims
    for (const part of name.split('.')) value = isRecord(value) ? value[part] : undefined
  }
  const values: unknown[] = Array.isArray(value) ? value : [value]
  return values.filter((one) => typeof one === 'string')
}
