import { createPublicKey, verify } from 'node:crypto'
import { partOf, StandIn } from './serve-locally.ts'

/** A title of the stand-in's account. */
export interface StandInTitle {
  productId: string
  name: string
  /** Empty: not a title of the store. */
  pfn?: string
  /** Address of its banner. */
  hero?: string
  /** Its packages: content id and the addresses of its files, root and rest apart. */
  packages?: Record<string, StandInFile[]>
  /** Platforms of its packages, by content id; a package without any names none. */
  platforms?: Record<string, string[]>
  /** Of all of its packages. */
  version?: string
  playedAt?: string
}

/** `roots`: further content hosts of it. */
interface StandInFile {
  name: string
  root: string
  path: string
  bytes?: number
  roots?: string[]
}

type Step = 'pending' | 'approve' | 'decline'

interface Jwk {
  crv: string
  alg: string
  use: string
  kty: string
  x: string
  y: string
}

const user = 'secret-user-token'
const deviceToken = 'secret-device-token'
const titlesAuth = 'XBL3.0 x=hash;secret-titles-token'
const packagesAuth = 'XBL3.0 x=hash;secret-packages-token'
const windowsEpochSeconds = 11_644_473_600

/**
 * A server with the documented protocol of Microsoft's and Xbox' services, for the demo and for tests;
 * checks signatures.
 */
export class EpsilonStandIn extends StandIn {
  /** What the next polls are told; the last one stays. */
  steps: Step[] = ['approve']
  /** Of access tokens, in seconds. */
  tokenSeconds = 86_400
  titles: StandInTitle[] = []
  gamertag: string | null = 'Some Gamer'
  /** Between polls, in seconds. */
  interval = 5
  /** Where the person is sent with the code. */
  verificationUri = 'https://www.microsoft.com/link'
  /** Code with which the token service refuses the account; 0: it does not. */
  xerr = 0
  /** Answers with tokens wait for it. */
  held: Promise<void> = Promise.resolve()
  /** How many of the next requests for titles are refused. */
  titlesRefused = 0
  /** What was wrong with requests, in words; empty when every request was as documented. */
  readonly faults: string[] = []
  /** Device ids and public keys that were shown. */
  readonly devices = new Set<string>()
  /** Products of the store's page of popular games. */
  popular: string[] = []
  /** Requests for content, with everything that they told. */
  readonly content: { path: string; host: string; range: string | null; head: string }[] = []
  refreshToken = 'secret-refresh-0'
  /** The clock that signatures are compared with. */
  now = () => new Date()
  #accessToken = ''
  #proofKey: Jwk | null = null
  #tokens = 0
  #codes = 0

  /** Environment that points a service at this stand-in. */
  get environment(): Record<string, string> {
    const tokens = ['Login', 'UserAuth', 'DeviceAuth', 'Xsts']
    const library = ['Profile', 'TitleHub', 'Catalog', 'Packages', 'Store']
    return Object.fromEntries(
      [...tokens, ...library].map((name) => [`Epsilon__${name}BaseUrl`, this.url]),
    )
  }

  requestCount = () => this.content.length

  protected async answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url)
    const file = this.#files().find(
      ({ root, path }) => URL.parse(root + path)?.pathname === pathname,
    )
    if (file !== undefined) return this.#content(request, file.bytes ?? 1)
    if (pathname === '/lancache-heartbeat') return heartbeat()
    const call = callOf(pathname)
    const trouble = this.trouble(call)
    if (trouble !== undefined) return trouble
    if (call === 'popular') return new Response(this.popular.map(storeLink).join('\n'))
    if (call === 'link') return new Response('The demo has approved every code.')
    const body = await request.text()
    if (call === 'code') return this.#code(new URLSearchParams(body))
    if (call === 'token') return this.#token(new URLSearchParams(body))
    if (call === 'product') return this.#product(request)
    if (call === 'titles' || call === 'profile') return this.#ofAccount(call, request)
    if (call === 'package') return this.#package(request, body)
    const parsed: unknown = JSON.parse(body)
    const { Properties: fields, RelyingParty: party } = parsed as Properties
    if (call === 'user') return this.#user(fields)
    if (call === 'device') return this.#device(request, body, fields)
    if (call === 'xsts') return this.#xsts(request, body, { fields, party })
    return new Response('', { status: 404 })
  }

  #code(form: URLSearchParams): Response {
    this.#expect(form.get('client_id') === '0000000048183522', 'client id')
    this.#expect(form.get('scope') === 'service::user.auth.xboxlive.com::MBI_SSL', 'scope')
    this.#expect(form.get('response_type') === 'device_code', 'response type')
    const number = ++this.#codes
    return Response.json({
      user_code: `CODE${number}`,
      device_code: `secret-device-code-${number}`,
      verification_uri: this.verificationUri,
      interval: this.interval,
      expires_in: 900,
    })
  }

  #token(form: URLSearchParams): Response | Promise<Response> {
    const refused = (error: string) => Response.json({ error }, { status: 400 })
    if (form.get('grant_type') === 'refresh_token') {
      this.#expect(form.get('scope') !== null, 'scope of a refresh')
      if (form.get('refresh_token') !== this.refreshToken) return refused('invalid_grant')
      return this.#newToken()
    }
    const isPoll = form.get('grant_type') === 'urn:ietf:params:oauth:grant-type:device_code'
    this.#expect(isPoll, 'grant type')
    if (form.get('device_code') !== `secret-device-code-${this.#codes}`) {
      return refused('expired_token')
    }
    const step = this.steps.length > 1 ? this.steps.shift() : this.steps[0]
    if (step === 'approve') return this.#newToken()
    if (step === 'decline') return refused('authorization_declined')
    return refused('authorization_pending')
  }

  async #newToken(): Promise<Response> {
    await this.held
    this.#tokens++
    this.#accessToken = `secret-access-${this.#tokens}`
    this.refreshToken = `secret-refresh-${this.#tokens}`
    const tokens = { access_token: this.#accessToken, refresh_token: this.refreshToken }
    return Response.json({ ...tokens, expires_in: this.tokenSeconds, token_type: 'bearer' })
  }

  #user(fields: Properties['Properties']): Response {
    if (fields.RpsTicket !== this.#accessToken) return new Response('', { status: 401 })
    this.#expect(fields.AuthMethod === 'RPS', 'user token')
    return Response.json({ Token: user })
  }

  #device(request: Request, body: string, fields: Properties['Properties']): Response {
    this.#proofKey = fields.ProofKey ?? null
    this.devices.add(`${fields.Id} ${fields.ProofKey?.x} ${fields.ProofKey?.y}`)
    this.#expect(/^\{[0-9a-f-]{36}\}$/.test(fields.Id ?? ''), 'device id')
    if (!this.#isSigned(request, body)) return new Response('', { status: 400 })
    return Response.json({ Token: deviceToken })
  }

  #xsts(
    request: Request,
    body: string,
    { fields, party }: { fields: Properties['Properties']; party: string },
  ): Response {
    if (this.xerr !== 0) return Response.json({ XErr: this.xerr }, { status: 401 })
    this.#expect(fields.UserTokens?.[0] === user, 'user token')
    this.#expect(fields.ProofKey === undefined, 'proof key of an authorization')
    const isPackages = party === 'http://update.xboxlive.com'
    if (isPackages) {
      this.#expect(fields.DeviceToken === deviceToken, 'device token')
      if (!this.#isSigned(request, body)) return new Response('', { status: 400 })
    } else this.#expect(party === 'http://xboxlive.com', 'relying party')
    const Token = (isPackages ? packagesAuth : titlesAuth).split(';')[1]
    return Response.json({ Token, DisplayClaims: { xui: [{ uhs: 'hash', xid: '2533' }] } })
  }

  #ofAccount(call: string, request: Request): Response {
    const isRefused = this.titlesRefused > 0 && this.titlesRefused-- > 0
    if (isRefused || request.headers.get('authorization') !== titlesAuth)
      return new Response('', { status: 401 })
    const sends = (name: string, value: string) =>
      this.#expect(request.headers.get(`x-xbl-${name}`) === value, `${name} of ${call}`)
    sends('contract-version', call === 'profile' ? '3' : '2')
    if (call === 'profile') {
      const settings = this.gamertag === null ? [] : [{ id: 'Gamertag', value: this.gamertag }]
      return Response.json({ profileUsers: [{ settings }] })
    }
    sends('client-name', 'XboxApp')
    sends('client-type', 'UWA')
    sends('client-version', '39.39.22001.0')
    const titles = this.titles.map(({ productId, name, pfn = 'pfn', playedAt }) => {
      const titleHistory = playedAt && { lastTimePlayed: playedAt }
      return { productId, name, pfn, titleHistory }
    })
    return Response.json({ xuid: '2533', titles })
  }

  #product(request: Request): Response {
    const productId = new URL(request.url).searchParams.get('bigIds')
    const title = this.titles.find((one) => one.productId === productId)
    if (title === undefined) return Response.json({ Products: [] })
    const Packages = Object.keys(title.packages ?? {}).map((ContentId) => ({
      ContentId,
      ...(title.platforms?.[ContentId] && {
        PlatformDependencies: title.platforms[ContentId].map((PlatformName) => ({ PlatformName })),
      }),
    }))
    const { hero = '//store-images.test/hero?x=1', name: ProductTitle } = title
    const Images = [
      { Uri: '//store-images.test/poster', ImagePurpose: 'Poster', Width: 720 },
      { Uri: hero, ImagePurpose: 'SuperHeroArt', Width: 1920 },
    ]
    const skus = [{ Sku: { Properties: { Packages } } }]
    const product = {
      LocalizedProperties: [{ ProductTitle, Images }],
      DisplaySkuAvailabilities: skus,
    }
    return Response.json({ Products: [product] })
  }

  #package(request: Request, body: string): Response {
    if (!this.#isSigned(request, body)) return new Response('', { status: 403 })
    this.#expect(request.headers.get('authorization') === packagesAuth, 'packages token')
    const contentId = new URL(request.url).pathname.split('/').at(-1) ?? ''
    const title = this.titles.find(({ packages }) => packages?.[contentId] !== undefined)
    const files = title?.packages?.[contentId] ?? []
    const PackageFiles = files.map(({ name, root, path, bytes = 1, roots = [] }) => ({
      FileName: name,
      FileSize: bytes,
      RelativeUrl: path,
      CdnRootPaths: [root, ...roots],
    }))
    const { version: Version = '1.0.0.0' } = title ?? {}
    return Response.json({ PackageFound: files.length > 0, Version, PackageFiles })
  }

  #files(): StandInFile[] {
    return this.titles.flatMap(({ packages }) => Object.values(packages ?? {}).flat())
  }

  #content(request: Request, bytes: number): Response {
    const { pathname: path } = new URL(request.url)
    const range = request.headers.get('range')
    const head = JSON.stringify([request.url, ...request.headers])
    this.content.push({ path, host: request.headers.get('host') ?? '', range, head })
    return partOf(bytes, range)
  }

  #expect(isRight: boolean, what: string): void {
    if (!isRight) this.faults.push(what)
  }

  /** Verifies the header with the public key of the device, byte for byte as documented. */
  #isSigned(request: Request, body: string): boolean {
    const header = Buffer.from(request.headers.get('signature') ?? '', 'base64')
    const isForm = header.length === 76 && header.readUInt32BE(0) === 1
    const time = header.subarray(4, 12)
    const seconds = isForm ? Number(time.readBigInt64BE(0) / 10_000_000n) - windowsEpochSeconds : 0
    const isNow = Math.abs(seconds - this.now().getTime() / 1000) < 300
    const { pathname, search } = new URL(request.url)
    const nul = Buffer.alloc(1)
    const signed = Buffer.concat([
      Buffer.from('00000001', 'hex'),
      nul,
      time,
      nul,
      Buffer.from(`${request.method}\0${pathname}${search}\0`),
      Buffer.from(`${request.headers.get('authorization') ?? ''}\0${body}\0`),
    ])
    const jwk = this.#proofKey
    const isRight =
      isForm &&
      isNow &&
      jwk !== null &&
      verify(
        'sha256',
        signed,
        { key: createPublicKey({ key: { ...jwk }, format: 'jwk' }), dsaEncoding: 'ieee-p1363' },
        header.subarray(12),
      )
    this.#expect(isRight, `signature of ${pathname}`)
    return isRight
  }
}

interface Properties {
  RelyingParty: string
  Properties: {
    AuthMethod?: string
    RpsTicket?: string
    Id?: string
    ProofKey?: Jwk
    UserTokens?: string[]
    DeviceToken?: string
  }
}

/** As a cache with the content answers. */
const heartbeat = () =>
  new Response(null, { status: 204, headers: { 'X-LanCache-Processed-By': 'stand-in' } })

const storeLink = (productId: string) =>
  `<a href="https://www.xbox.com/en-us/games/store/some-game/${productId}">Some game</a>`

function callOf(path: string): string {
  const fixed: Record<string, string> = {
    '/link': 'link',
    '/en-us/store/most-popular/games/xbox': 'popular',
    '/oauth20_connect.srf': 'code',
    '/oauth20_token.srf': 'token',
    '/user/authenticate': 'user',
    '/device/authenticate': 'device',
    '/xsts/authorize': 'xsts',
    '/users/xuid(2533)/profile/settings': 'profile',
    '/v7.0/products': 'product',
  }
  if (path.startsWith('/users/xuid(2533)/titles/titlehistory/decoration/')) return 'titles'
  if (path.startsWith('/GetBasePackage/')) return 'package'
  return fixed[path] ?? path
}
