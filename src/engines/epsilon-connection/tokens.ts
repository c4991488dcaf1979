import { Type, type Static, type TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { OutsideError, type Outside, type OutsideRequest } from '../../core/lib/outside.ts'
import { askJson } from '../../core/lib/outside-json.ts'
import type { EpsilonAddresses } from '../../core/lib/platform-addresses.ts'
import type { Signing } from './device.ts'

/** Of one attempt. */
const timeoutMs = 30_000
/** The public client of Xbox consoles' companion apps; the scope belongs to it. */
const clientId = '0000000048183522'
const scope = 'service::user.auth.xboxlive.com::MBI_SSL'
const form = { 'content-type': 'application/x-www-form-urlencoded' }

const token = Type.String({ minLength: 1 })
const DeviceCode = Type.Object({
  user_code: Type.String({ maxLength: 50 }),
  device_code: token,
  verification_uri: Type.String({ maxLength: 500, pattern: '^https?://' }),
  interval: Type.Number({ maximum: 600 }),
  expires_in: Type.Number({ maximum: 86_400 }),
})
export type DeviceCode = Static<typeof DeviceCode>

const MicrosoftToken = Type.Object({
  access_token: token,
  refresh_token: token,
  expires_in: Type.Number(),
})
export type MicrosoftToken = Static<typeof MicrosoftToken>
const Refusal = Type.Object({ error: Type.String() })

const ServiceToken = Type.Object({ Token: token })
const XstsToken = Type.Object({
  Token: token,
  DisplayClaims: Type.Object({
    xui: Type.Array(
      Type.Object({
        uhs: token,
        xid: Type.Optional(Type.String()),
        gtg: Type.Optional(Type.String()),
      }),
      { minItems: 1 },
    ),
  }),
})
const XstsRefusal = Type.Object({ XErr: Type.Number() })

/** Microsoft refused a sign-in. The message says what to do about it. */
export class EpsilonRefusal extends Error {
  /** As Microsoft names it, for example `authorization_pending`. */
  readonly reason: string

  constructor(reason: string, text = 'Microsoft refused the sign-in; sign in again') {
    super(text)
    this.reason = reason
  }
}

/** Reasons of the token service that a person can do something about. */
const xstsTexts = new Map([
  [2_148_916_233, 'This Microsoft account has no Xbox profile; create one on xbox.com'],
  [2_148_916_235, 'Xbox is not available in the country of this account'],
  [2_148_916_238, 'This is a child’s account: it has to be added to a family first'],
])

/** Authorization for Xbox services, and who it stands for. */
export interface EpsilonAuthorization {
  header: string
  xuid: string
  gamertag: string | null
}

/** What requests about titles and packages need. */
export interface EpsilonAccess {
  titles: EpsilonAuthorization
  packages: { header: string; device: Signing }
}

interface Post {
  url: string
  body: object
  signal: AbortSignal
  /** Null: unsigned. */
  device: Signing | null
  accepts?: number[]
}

/** Path and query of a URL, as they are sent and signed. */
export const targetOf = (url: string): string => {
  const { pathname, search } = new URL(url)
  return pathname + search
}

/** Sign-in with a Microsoft account. All methods throw OutsideError. */
function microsoftTokens(outside: Outside, config: EpsilonAddresses) {
  async function microsoft<T extends TSchema>(
    path: string,
    fields: Record<string, string>,
    options: { schema: T; signal?: AbortSignal | undefined },
  ): Promise<Static<T>> {
    const request: OutsideRequest = {
      url: `${config.loginBaseUrl}/${path}`,
      method: 'POST',
      headers: form,
      body: new URLSearchParams({ client_id: clientId, ...fields }).toString(),
      ...(options.signal && { signal: options.signal }),
      timeoutMs,
      accepts: [400, 401],
      // A person waits, or the next poll tries again.
      attempts: 1,
      redirect: 'error',
    }
    const { value } = await askJson(outside, request, Type.Union([options.schema, Refusal]))
    if (Value.Check(options.schema, value)) return value
    throw new EpsilonRefusal(Value.Check(Refusal, value) ? value.error.slice(0, 100) : 'unknown')
  }

  return {
    deviceCode: () =>
      microsoft(
        'oauth20_connect.srf',
        { scope, response_type: 'device_code' },
        { schema: DeviceCode },
      ),

    /** Throws EpsilonRefusal with `authorization_pending` while the person has not decided. */
    poll: (deviceCode: string, signal: AbortSignal) =>
      microsoft(
        'oauth20_token.srf',
        { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: deviceCode },
        { schema: MicrosoftToken, signal },
      ),

    /** The refresh token rotates. Throws EpsilonRefusal. */
    refresh: (refreshToken: string) =>
      microsoft(
        'oauth20_token.srf',
        { scope, grant_type: 'refresh_token', refresh_token: refreshToken },
        { schema: MicrosoftToken },
      ),
  }
}

/** The token services of Xbox. All methods throw EpsilonRefusal, OutsideError. */
function serviceTokens(outside: Outside, config: EpsilonAddresses) {
  async function ask<T extends TSchema>(post: Post, schema: T): Promise<Static<T>> {
    const { url, signal, device, accepts = [] } = post
    const body = JSON.stringify(post.body)
    const signed = { method: 'POST', target: targetOf(url), authorization: '', body }
    const headers = {
      'content-type': 'application/json',
      'x-xbl-contract-version': '1',
      ...(device && { signature: device.sign(signed) }),
    }
    const common = { signal, timeoutMs, accepts, redirect: 'error' } as const
    const { value } = await askJson(
      outside,
      { url, method: 'POST', headers, body, ...common },
      Type.Union([schema, XstsRefusal]),
    )
    if (Value.Check(schema, value)) return value
    const code = Value.Check(XstsRefusal, value) ? value.XErr : 0
    throw new EpsilonRefusal(`XErr ${code}`, xstsTexts.get(code))
  }

  return {
    async userToken(accessToken: string, signal: AbortSignal): Promise<string> {
      const url = `${config.userAuthBaseUrl}/user/authenticate`
      const Properties = {
        AuthMethod: 'RPS',
        SiteName: 'user.auth.xboxlive.com',
        RpsTicket: accessToken,
      }
      const body = { Properties, RelyingParty: 'http://auth.xboxlive.com', TokenType: 'JWT' }
      return (await ask({ url, body, signal, device: null }, ServiceToken)).Token
    },

    async deviceToken(device: Signing, signal: AbortSignal): Promise<string> {
      const url = `${config.deviceAuthBaseUrl}/device/authenticate`
      const Properties = {
        AuthMethod: 'ProofOfPossession',
        Id: device.id,
        DeviceType: 'Win32',
        Version: '10.0.19041.0',
        ProofKey: device.proofKey,
      }
      const body = { RelyingParty: 'http://auth.xboxlive.com', TokenType: 'JWT', Properties }
      return (await ask({ url, body, signal, device }, ServiceToken)).Token
    },

    /** Authorization for one group of services; with a device the request is signed. */
    async authorization(
      tokens: { user: string; device: { token: string; signing: Signing } | null },
      RelyingParty: string,
      signal: AbortSignal,
    ): Promise<EpsilonAuthorization> {
      const url = `${config.xstsBaseUrl}/xsts/authorize`
      const { user, device } = tokens
      // The service knows the key of the device from its token.
      const extra = device && { DeviceToken: device.token }
      const Properties = { SandboxId: 'RETAIL', UserTokens: [user], ...extra }
      const body = { Properties, RelyingParty, TokenType: 'JWT' }
      const post = { url, body, signal, device: device?.signing ?? null, accepts: [401] }
      const { Token, DisplayClaims } = await ask(post, XstsToken)
      const [claims] = DisplayClaims.xui
      if (claims === undefined) throw new OutsideError('Xbox named no account', null)
      const { uhs, xid = '', gtg = null } = claims
      return { header: `XBL3.0 x=${uhs};${Token}`, xuid: xid, gamertag: gtg }
    },
  }
}

/** All steps of a sign-in. */
export function createEpsilonTokens(outside: Outside, config: EpsilonAddresses) {
  const services = serviceTokens(outside, config)
  return {
    ...microsoftTokens(outside, config),

    /** Goes through the token services. Throws EpsilonRefusal, OutsideError. */
    async access(
      accessToken: string,
      signing: Signing,
      signal: AbortSignal,
    ): Promise<EpsilonAccess> {
      const user = await services.userToken(accessToken, signal)
      const titles = await services.authorization(
        { user, device: null },
        'http://xboxlive.com',
        signal,
      )
      const token = await services.deviceToken(signing, signal)
      const packages = await services.authorization(
        { user, device: { token, signing } },
        'http://update.xboxlive.com',
        signal,
      )
      return { titles, packages: { header: packages.header, device: signing } }
    },
  }
}

export type EpsilonTokens = ReturnType<typeof createEpsilonTokens>
