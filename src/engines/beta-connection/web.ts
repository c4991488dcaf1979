import { Type, type Static } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { OutsideError, type Outside, type OutsideRequest } from '../../core/lib/outside.ts'
import { askJson } from '../../core/lib/outside-json.ts'
import type { betaAddresses } from '../../core/lib/platform-addresses.ts'
import { imageOf, KeyImage } from './image.ts'

export type BetaAddresses = ReturnType<typeof betaAddresses>

/** Of one attempt. */
const timeoutMs = 30_000
/** Assets of one library; further ones are left out. */
const assetsMax = 20_000

const id = Type.String({ minLength: 1, maxLength: 200, pattern: '^[^\\s\\x00]+$' })
const rows = Type.Array(Type.Unknown())

const seconds = Type.Number({ minimum: 0, maximum: 1e9 })
const Token = Type.Object({
  access_token: Type.String({ minLength: 1 }),
  expires_in: seconds,
  refresh_token: Type.String({ minLength: 1 }),
  refresh_expires: Type.Optional(seconds),
  account_id: Type.Optional(id),
  displayName: Type.Optional(Type.String()),
})
const Refusal = Type.Object({
  errorCode: Type.Optional(Type.String()),
  metadata: Type.Optional(Type.Unknown()),
})
const Correction = Type.Object({ correctiveAction: Type.String() })
export type BetaToken = Static<typeof Token>

const Asset = Type.Object({
  appName: id,
  buildVersion: Type.Optional(Type.String({ maxLength: 500 })),
  catalogItemId: id,
  namespace: id,
})
export type BetaAsset = Static<typeof Asset>

const title = Type.String({ minLength: 1 })
const Item = Type.Object({ title, keyImages: Type.Optional(Type.Array(KeyImage)) })

const Parameter = Type.Object({ name: Type.String(), value: Type.String({ maxLength: 8000 }) })
const Manifest = Type.Object({
  uri: Type.String({ maxLength: 2000 }),
  queryParams: Type.Optional(Type.Array(Parameter)),
})
const Manifests = Type.Object({
  elements: Type.Array(
    Type.Object({ manifests: Type.Array(Manifest), hash: Type.Optional(Type.Unknown()) }),
  ),
})
/** One of the addresses of a manifest: each CDN has its own. */
export type BetaManifest = Static<typeof Manifest>

/** Where the manifest of a build is. */
export interface BetaBuild {
  /** Empty: there is no build. */
  manifests: BetaManifest[]
  /** Of the manifest file, 40 lower-case hex digits; null: not told. */
  sha1: string | null
}

const Playtime = Type.Object({ artifactId: id, totalTime: Type.Number() })

const Store = Type.Object({
  data: Type.Object({
    Catalog: Type.Object({ searchStore: Type.Object({ elements: rows }) }),
  }),
})
const Offer = Type.Object({
  id,
  title,
  keyImages: Type.Optional(Type.Array(KeyImage)),
  promotions: Type.Object({
    promotionalOffers: Type.Array(
      Type.Object({ promotionalOffers: Type.Array(Type.Unknown(), { minItems: 1 }) }),
      { minItems: 1 },
    ),
  }),
})

/** What the catalogue says about one game. */
export interface BetaDescription {
  name: string
  imageUrl: string | null
}
export type FreeGame = BetaDescription & { appId: string }

/** A list, or null when it has not changed since the ETag. */
export interface Listed<T> {
  rows: T[] | null
  etag: string | null
}

/** Epic refused a code, a token or an account. `reason` is Epic's error code. */
export class BetaRefusal extends Error {
  readonly reason: string
  /** What the owner of the account has to do first, in Epic's words; null: nothing. */
  readonly correctiveAction: string | null

  constructor(reason: string, correctiveAction = '') {
    super('Epic Games refused the sign-in')
    this.reason = reason
    this.correctiveAction = /^[A-Z_]{1,60}$/.test(correctiveAction) ? correctiveAction : null
  }
}

/** Page on which a person signs in and is shown the code. */
export function authorizationUrl({ loginBaseUrl, clientId }: BetaAddresses): string {
  const target = `${loginBaseUrl}/id/api/redirect?clientId=${clientId}&responseType=code`
  return `${loginBaseUrl}/id/login?redirectUrl=${encodeURIComponent(target)}`
}

const textMax = 300
const nameOf = (text: string) => text.replaceAll('\0', '').trim().slice(0, textMax)

const describe = ({ title: text, keyImages }: Static<typeof Item>): BetaDescription => ({
  name: nameOf(text),
  imageUrl: imageOf(keyImages ?? []),
})

const asked = (token: string, path: string, signal: AbortSignal): OutsideRequest => ({
  url: path,
  headers: { authorization: `bearer ${token}` },
  signal,
  timeoutMs,
  redirect: 'error',
})

async function withToken<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    const isRefused = error instanceof OutsideError && error.status === 401
    throw isRefused ? new BetaRefusal('token') : error
  }
}

/** Sign-in. Throws BetaRefusal, OutsideError. */
function tokens(outside: Outside, config: BetaAddresses) {
  const basic = Buffer.from(`${config.clientId}:${config.clientSecret}`).toString('base64')
  return {
    /** Exchanges a code or a refresh token. A code works once, so the call is not repeated. */
    async token(form: Record<string, string>, signal?: AbortSignal): Promise<BetaToken> {
      const request: OutsideRequest = {
        url: `${config.accountBaseUrl}/account/api/oauth/token`,
        method: 'POST',
        headers: {
          authorization: `basic ${basic}`,
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: new URLSearchParams({ ...form, token_type: 'eg1' }).toString(),
        ...(signal && { signal }),
        timeoutMs,
        accepts: [400, 401, 403],
        attempts: 1,
        redirect: 'error',
      }
      const { status, value } = await askJson(outside, request, Type.Union([Token, Refusal]))
      if (status === 200 && Value.Check(Token, value)) return value
      const { errorCode = '', metadata = null } = Value.Check(Refusal, value) ? value : {}
      const action = Value.Check(Correction, metadata) ? metadata.correctiveAction : ''
      if (status >= 400) throw new BetaRefusal(errorCode.slice(0, 200), action)
      throw new OutsideError('Epic Games answered without a token', status)
    },
  }
}

/** Library and store. Throws OutsideError, and BetaRefusal when a token is not accepted. */
function library(outside: Outside, config: BetaAddresses) {
  const { catalogBaseUrl, launcherBaseUrl, libraryBaseUrl, storeBaseUrl } = config
  return {
    async assets(token: string, etag: string | null, signal: AbortSignal) {
      const url = `${launcherBaseUrl}/launcher/api/public/assets/Windows?label=Live`
      const request = asked(token, url, signal)
      const headers = { ...request.headers, ...(etag !== null && { 'if-none-match': etag }) }
      const answer = await withToken(askJson(outside, { ...request, headers }, rows))
      const list = answer.value?.slice(0, assetsMax).filter((row) => Value.Check(Asset, row))
      return { rows: list ?? null, etag: answer.etag } satisfies Listed<BetaAsset>
    },

    /** Null: the catalogue does not know the item. */
    async describe(token: string, asset: BetaAsset, signal: AbortSignal) {
      const query = new URLSearchParams({
        id: asset.catalogItemId,
        includeDLCDetails: 'true',
        includeMainGameDetails: 'true',
        country: 'US',
        locale: 'en',
      })
      const path = `/catalog/api/shared/namespace/${encodeURIComponent(asset.namespace)}/bulk/items`
      const request = asked(token, `${catalogBaseUrl}${path}?${query.toString()}`, signal)
      const { value } = await withToken(
        askJson(outside, request, Type.Record(Type.String(), Type.Unknown())),
      )
      const item = value?.[asset.catalogItemId]
      return Value.Check(Item, item) ? describe(item) : null
    },

    /** The newest build. */
    async build(token: string, asset: BetaAsset, signal: AbortSignal): Promise<BetaBuild> {
      const path = [
        `namespace/${encodeURIComponent(asset.namespace)}`,
        `catalogItem/${encodeURIComponent(asset.catalogItemId)}`,
        `app/${encodeURIComponent(asset.appName)}/label/Live`,
      ].join('/')
      const url = `${launcherBaseUrl}/launcher/api/public/assets/v2/platform/Windows/${path}`
      const { value } = await withToken(askJson(outside, asked(token, url, signal), Manifests))
      const { manifests = [], hash } = value?.elements[0] ?? {}
      const isSha1 = typeof hash === 'string' && /^[0-9a-f]{40}$/i.test(hash)
      return { manifests, sha1: isSha1 ? hash.toLowerCase() : null }
    },

    /** Seconds for which each app was played in all. */
    async playtime(token: string, accountId: string, signal: AbortSignal) {
      const path = `/library/api/public/playtime/account/${encodeURIComponent(accountId)}/all`
      const request = asked(token, `${libraryBaseUrl}${path}`, signal)
      const { value } = await withToken(askJson(outside, request, rows))
      const played = value?.slice(0, assetsMax).filter((row) => Value.Check(Playtime, row)) ?? []
      return new Map(played.map(({ artifactId, totalTime }) => [artifactId, totalTime]))
    },

    /** Games that the store gives away at the moment; needs no account. */
    async freeGames(etag: string | null, signal: AbortSignal): Promise<Listed<FreeGame>> {
      const query = 'locale=en-US&country=US&allowCountries=US'
      const headers: Record<string, string> = etag === null ? {} : { 'if-none-match': etag }
      const url = `${storeBaseUrl}/freeGamesPromotions?${query}`
      const answer = await askJson(outside, { url, headers, signal, timeoutMs }, Store)
      const elements = answer.value?.data.Catalog.searchStore.elements
      const offers = elements?.slice(0, assetsMax).filter((row) => Value.Check(Offer, row))
      const games = offers?.map((offer) => ({ appId: offer.id, ...describe(offer) }))
      return { rows: games ?? null, etag: answer.etag }
    },
  }
}

/** Epic's web services, as its launcher uses them. */
export const createBetaWeb = (outside: Outside, config: BetaAddresses) => ({
  ...tokens(outside, config),
  ...library(outside, config),
})

export type BetaWeb = ReturnType<typeof createBetaWeb>

/** Path of a manifest's URI without its file name, and the host; null: not an address of a CDN. */
export function basePathOf(uri: string): { path: string; host: string } | null {
  const url = URL.parse(uri)
  if (url === null || !/^https?:$/.test(url.protocol)) return null
  const path = url.pathname.slice(0, url.pathname.lastIndexOf('/'))
  return path === '' ? null : { path, host: url.host }
}
