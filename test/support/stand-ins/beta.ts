import { createHash } from 'node:crypto'
import { chunkPath, encodeManifest, type StandInBuild } from './beta-manifest.ts'
import { partOf, StandIn } from './serve-locally.ts'

/** A game of the stand-in's library. */
export interface StandInAsset {
  appName: string
  title: string
  buildVersion?: string
  /** Directory of the manifest on the CDN. */
  basePath?: string
  images?: { type: string; url: string; width?: number; height?: number }[]
  /** Absent: the manifest lies on a CDN on the internet. */
  build?: StandInBuild
  /** SHA-1 that is told of the manifest; absent: the right one. */
  sha1?: string
  namespace?: string
}

/** An account: what it owns, how it signs in, and the tokens that it holds. */
export interface BetaPlayer {
  code: string
  displayName: string
  accountId: string
  assets: StandInAsset[]
  /** The one that is accepted; it changes with every use. */
  refreshToken: string
  accessToken: string
}

/** A request that a CDN received. */
interface ContentCall {
  path: string
  host: string
  authorization: string | null
}

const client = Buffer.from('test-client:test-secret').toString('base64')
const itemOf = (appName: string) => `item-${appName}`
const space = 'space'
const cdnToken = 'secret-cdn-token'

/** A server with the documented protocol of Epic's web services, for the demo and for tests. */
export class BetaStandIn extends StandIn implements BetaPlayer {
  code = 'right-code'
  displayName = 'Some Player'
  accountId = 'account'
  /** Of access tokens, in seconds. */
  expiresIn = 28_800
  assets: StandInAsset[] = []
  freeGames: { id: string; title: string; isFree?: boolean }[] = []
  refreshToken = 'refresh-0'
  accessToken = ''
  /** Accounts beside its own one. */
  readonly others: BetaPlayer[] = []
  /** The code that the sign-in page shows. */
  shownCode: () => string = () => this.code
  /** What the account has to accept before it can sign in. */
  correctiveAction: string | null = null
  /** Seconds, by name of the app. */
  playtime: Record<string, number> = {}
  /** Waited for before a token is given. */
  beforeToken: () => Promise<void> = () => Promise.resolve()
  /** Hosts whose manifests are damaged. */
  readonly damaging = new Set<string>()
  /** Requests for manifests and chunks. */
  readonly content: ContentCall[] = []
  #tokens = 0
  #etag = ''

  /** Environment that points a service at this stand-in. */
  get environment() {
    const { url } = this
    return {
      Beta__AccountBaseUrl: url,
      Beta__CatalogBaseUrl: url,
      Beta__LauncherBaseUrl: url,
      Beta__LibraryBaseUrl: url,
      Beta__StoreBaseUrl: url,
      Beta__ClientId: 'test-client',
      Beta__ClientSecret: 'test-secret',
    }
  }

  protected async answer(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    const call = callOf(pathname)
    const trouble = this.trouble(call)
    if (trouble !== undefined) return trouble
    if (call === 'login') return redirected(searchParams.get('redirectUrl') ?? '', this.url)
    if (call === 'code') return Response.json({ authorizationCode: this.shownCode() })
    if (call === 'token') return this.#token(request)
    if (call === 'content') return this.#content(request)
    if (call === 'freeGames') return Response.json(store(this.freeGames))
    const authorization = request.headers.get('authorization')
    const player = this.#players.find(
      ({ accessToken }) => authorization === `bearer ${accessToken}`,
    )
    if (player === undefined) {
      return Response.json({ errorCode: 'errors.com.epicgames.common.invalid' }, { status: 401 })
    }
    if (call === 'assets') return this.#assets(request, player)
    if (call === 'item') return this.#item(searchParams.get('id') ?? '')
    if (call === 'manifest') return this.#manifest(pathname)
    if (call === 'playtime') return Response.json(played(this.playtime))
    return new Response('', { status: 404 })
  }

  get #players(): BetaPlayer[] {
    return [this, ...this.others]
  }

  get #allAssets(): StandInAsset[] {
    return this.#players.flatMap(({ assets }) => assets)
  }

  /** Access tokens end; the refresh token stays. */
  endSession(): void {
    this.accessToken = 'ended'
  }

  async #token(request: Request): Promise<Response> {
    await this.beforeToken()
    const form = new URLSearchParams(await request.text())
    const isClient = request.headers.get('authorization') === `basic ${client}`
    const [grant, code, token] = ['grant_type', 'code', 'refresh_token'].map((name) =>
      form.get(name),
    )
    const player = this.#players.find((one) =>
      grant === 'authorization_code'
        ? code === one.code
        : grant === 'refresh_token' && token === one.refreshToken,
    )
    if (!isClient || form.get('token_type') !== 'eg1' || player === undefined) {
      const errorCode = 'errors.com.epicgames.account.oauth.authorization_code_not_found'
      return Response.json({ errorCode, errorMessage: 'no' }, { status: 400 })
    }
    if (this.correctiveAction !== null) {
      const errorCode = 'errors.com.epicgames.oauth.corrective_action_required'
      const metadata = { correctiveAction: this.correctiveAction }
      return Response.json({ errorCode, metadata }, { status: 400 })
    }
    this.#tokens++
    player.accessToken = `secret-access-${this.#tokens}`
    player.refreshToken = `secret-refresh-${this.#tokens}`
    return Response.json({
      access_token: player.accessToken,
      expires_in: this.expiresIn,
      refresh_token: player.refreshToken,
      refresh_expires: 1_987_200,
      account_id: player.accountId,
      displayName: player.displayName,
    })
  }

  #assets(request: Request, { assets }: BetaPlayer): Response {
    const list = assets.map(({ appName, buildVersion, namespace = space }) => ({
      appName,
      catalogItemId: itemOf(appName),
      namespace,
      ...(buildVersion !== undefined && { buildVersion }),
    }))
    const etag = `"${Bun.hash(JSON.stringify(list))}"`
    const isSame = request.headers.get('if-none-match') === etag && this.#etag === etag
    this.#etag = etag
    if (isSame) return new Response(null, { status: 304, headers: { etag } })
    return Response.json(list, { headers: { etag } })
  }

  #item(id: string): Response {
    const asset = this.#allAssets.find(({ appName }) => itemOf(appName) === id)
    if (asset === undefined) return Response.json({})
    return Response.json({ [id]: { title: asset.title, keyImages: asset.images ?? [] } })
  }

  #manifest(path: string): Response {
    const asset = this.#allAssets.find(({ appName }) => path.includes(`/app/${appName}/`))
    if (asset?.basePath === undefined) return new Response('', { status: 404 })
    if (asset.build !== undefined) {
      const at = (host: string) => `http://${host}:${this.port}${asset.basePath}/build.manifest`
      const signed = [{ name: 'f_token', value: cdnToken }]
      const manifests = [
        { uri: at('localhost'), queryParams: [{ name: 'k', value: cdnToken }] },
        { uri: at('127.0.0.1'), queryParams: signed },
      ]
      const sha1 = createHash('sha1').update(encodeManifest(asset.build)).digest('hex')
      return Response.json({ elements: [{ hash: asset.sha1 ?? sha1, manifests }] })
    }
    const uri = `https://epicgames-download1.akamaized.net${asset.basePath}/abc.manifest`
    return Response.json({ elements: [{ manifests: [{ uri, queryParams: [] }] }] })
  }

  /** What a CDN answers: signed requests for manifests, and chunks for everyone. */
  #content(request: Request): Response {
    const { pathname: path, searchParams } = new URL(request.url)
    const { headers } = request
    const host = headers.get('host') ?? ''
    this.content.push({ path, host, authorization: headers.get('authorization') })
    const owner = this.#allAssets.find(({ basePath }) => path.startsWith(`${basePath}/`))
    const { basePath, build } = owner ?? {}
    if (build === undefined) return new Response('', { status: 404 })
    if (path.endsWith('.manifest')) {
      const isSigned = [...searchParams.values()].includes(cdnToken)
      if (!isSigned) return new Response('', { status: 403 })
      const file = encodeManifest(build)
      return new Response(new Uint8Array(this.damaging.has(host) ? file.subarray(1) : file))
    }
    const chunk = build.chunks.find((one) => path === `${basePath}/${chunkPath(one)}`)
    if (chunk === undefined) return new Response('', { status: 404 })
    return partOf(chunk.bytes, headers.get('range'))
  }
}

const played = (seconds: Record<string, number>) =>
  Object.entries(seconds).map(([artifactId, totalTime]) => ({ artifactId, totalTime }))

function callOf(path: string): string {
  if (path === '/id/login') return 'login'
  if (path === '/id/api/redirect') return 'code'
  if (path === '/account/api/oauth/token') return 'token'
  if (path === '/launcher/api/public/assets/Windows') return 'assets'
  if (path === '/library/api/public/playtime/account/account/all') return 'playtime'
  if (/\.(?:manifest|chunk)$/.test(path)) return 'content'
  if (path.startsWith('/launcher/api/public/assets/v2/platform/Windows/')) return 'manifest'
  if (/^\/catalog\/api\/shared\/namespace\/space\/bulk\/items$/.test(path)) return 'item'
  return path === '/freeGamesPromotions' ? 'freeGames' : path
}

/** The sign-in page leads to the code at once: there is nobody to ask for a password. */
const redirected = (target: string, own: string): Response =>
  target.startsWith(`${own}/`) ? Response.redirect(target) : new Response('', { status: 400 })

function store(games: { id: string; title: string; isFree?: boolean }[]) {
  const elements = games.map(({ id, title, isFree = true }) => ({
    id,
    title,
    keyImages: [],
    promotions: isFree ? { promotionalOffers: [{ promotionalOffers: [{}] }] } : null,
  }))
  return { data: { Catalog: { searchStore: { elements } } } }
}
