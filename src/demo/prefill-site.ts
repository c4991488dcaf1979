import { epsilonGames } from './account-games.ts'
import { deltaStandIn, type DeltaRelease } from '../../test/support/stand-ins/delta.ts'
import { gameFiles, gammaStandIn } from '../../test/support/stand-ins/gamma.ts'
import type { LoggedRequest } from './log-formats.ts'
import { partOf, serveLocally } from '../../test/support/stand-ins/serve-locally.ts'

/** Products that the demo has content for, as Battle.net and Riot Games name them. */
const gammaProducts = ['fenris', 'hsb', 'pro', 'wow']
const deltaProducts = { league_of_legends: 'lol', valorant: 'valorant' }
/** Bytes of packages of the demo's Xbox account, by path. */
const epsilonPackages = new Map(Object.values(epsilonGames).map(({ path, bytes }) => [path, bytes]))
const filesPerGame = 100
const bundlesPerGame = 60
const bundleBytes = 400_000
/** Share of a game that a new build replaces. */
const newBuildShare = 0.4
/** Milliseconds before each answer: long enough to see a prefill run. */
const usualDelayMs = 250

interface Content {
  baseUrl: string
  /** Publishes a build that shares most of its content with the first one. */
  renew?(): void
  stop(): Promise<void>
}

interface SiteOptions {
  /** Where the stand-in for Epic Games is; absent: the site has nothing of Epic's. */
  betaUrl?: string
  delayMs?: number
}

/** Invented files of one game; another seed is another game. */
function gammaContent(product: string, seed: number): Content {
  const standIn = gammaStandIn(product, `tpr/${product}`)
  standIn.publish('1.0.0', gameFiles(filesPerGame, seed))
  const renew = () => {
    const files = gameFiles(filesPerGame * (1 + newBuildShare), seed)
    standIn.publish('1.1.0', files.slice(filesPerGame * newBuildShare))
  }
  return { baseUrl: standIn.patchBaseUrl, renew, stop: standIn.stop }
}

function deltaRelease(firstId: number): DeltaRelease {
  const ids = Array.from({ length: bundlesPerGame }, (_, index) => BigInt(firstId + index))
  return {
    languages: [{ id: 1, name: 'en_US' }],
    bundles: ids.map((id) => ({ id, chunks: [{ id, bytes: bundleBytes }] })),
    files: [{ chunks: ids }],
  }
}

function deltaContent(product: string, seed: number): Content {
  const standIn = deltaStandIn(product)
  standIn.publish('1.0.0', deltaRelease(seed * 1000))
  if (product === 'league_of_legends') {
    standIn.publishGame('1.0.0', deltaRelease(seed * 1000 + bundlesPerGame))
  }
  const renew = () =>
    standIn.publish('1.1.0', deltaRelease(seed * 1000 + bundlesPerGame * newBuildShare))
  return { baseUrl: standIn.configBaseUrl, renew, stop: standIn.stop }
}

function epsilonContent(path: string): Content {
  const bytes = epsilonPackages.get(path) ?? 0
  const { url, stop } = serveLocally(({ headers }) => partOf(bytes, headers.get('range')))
  return { baseUrl: url, stop }
}

function contentOf(product: string, seed: number): Content {
  if (epsilonPackages.has(product)) return epsilonContent(product)
  const isDelta = Object.hasOwn(deltaProducts, product)
  return (isDelta ? deltaContent : gammaContent)(product, seed)
}

/** Contents by product, made when they are first asked for. */
function createContents() {
  const made = new Map<string, Content>()
  return {
    of(product: string): Content {
      const seed = made.size + 1
      const content = made.get(product) ?? contentOf(product, seed)
      made.set(product, content)
      return content
    },
    stop: () => Promise.all([...made.values()].map((content) => content.stop())),
  }
}

/** Product of a request and whether it is for content, which the cache stores; null: unknown. */
function requested(url: URL, host: string): { product: string; service: string | null } | null {
  const [, tables = ''] = /^\/([a-z]+)\/(?:versions|cdns)$/.exec(url.pathname) ?? []
  if (gammaProducts.includes(tables)) return { product: tables, service: null }
  const [, stored = ''] = /^\/tpr\/([a-z]+)\//.exec(url.pathname) ?? []
  if (gammaProducts.includes(stored)) return { product: stored, service: 'blizzard' }
  if (epsilonPackages.has(url.pathname)) return { product: url.pathname, service: 'xboxlive' }
  const lines = url.searchParams.get('namespace') ?? ''
  for (const [product, name] of Object.entries(deltaProducts)) {
    if (lines === `keystone.products.${product}.patchlines`) return { product, service: null }
    if (url.pathname.startsWith(`/api/v1/products/${name}/`)) return { product, service: null }
    if (host === `${name}.dyn.riotcdn.net`) return { product, service: 'riot' }
  }
  return null
}

/**
 * A cache on loopback with the contents of a few games behind it, and the services that say which
 * versions there are. `log` receives what the proxy of a real cache would log.
 */
export function servePrefill(
  log: (request: LoggedRequest) => void,
  { betaUrl, delayMs = usualDelayMs }: SiteOptions = {},
) {
  const contents = createContents()
  const cached = new Set<string>()

  async function answer(request: Request): Promise<Response> {
    const url = new URL(request.url)
    if (url.pathname === '/lancache-heartbeat') {
      return new Response(null, { status: 204, headers: { 'X-LanCache-Processed-By': 'demo' } })
    }
    const host = request.headers.get('host') ?? ''
    const isBeta = betaUrl !== undefined && url.pathname.endsWith('.chunk')
    const wanted = isBeta ? { product: '', service: 'epicgames' } : requested(url, host)
    if (wanted === null) return new Response('The demo does not have this', { status: 404 })
    const { baseUrl } = isBeta ? { baseUrl: betaUrl } : contents.of(wanted.product)
    const range = request.headers.get('range')
    const target = `${url.pathname}${url.search}`
    const found = await fetch(`${baseUrl}${target}`, { headers: range === null ? {} : { range } })
    if (wanted.service === null) return found
    await Bun.sleep(delayMs)
    const bytes = await found.arrayBuffer()
    const key = `${host} ${target} ${range}`
    const cacheStatus = cached.has(key) ? 'HIT' : 'MISS'
    cached.add(key)
    log({
      at: Math.floor(Date.now() / 1000),
      tag: wanted.service,
      client: '127.0.0.1',
      forwardedFor: '-',
      method: request.method,
      target,
      status: found.status,
      bytes: bytes.byteLength,
      userAgent: request.headers.get('user-agent') ?? '-',
      cacheStatus,
      host,
      range: range ?? '-',
    })
    const headers = new Headers({ 'X-Upstream-Cache-Status': cacheStatus })
    const contentRange = found.headers.get('content-range')
    if (contentRange !== null) headers.set('Content-Range', contentRange)
    return new Response(bytes, { status: found.status, headers })
  }

  const { port, url, stop } = serveLocally(answer)
  return {
    environment: {
      Gamma__VersionsBaseUrl: url,
      Delta__PatchlineBaseUrl: url,
      Delta__SieveBaseUrl: url,
      Prefill__LancacheIp: `127.0.0.1:${port}`,
    },
    /** Publishes a new build of a game. */
    renew: (product: string) => contents.of(product).renew?.(),
    stop: () => Promise.all([stop(), contents.stop()]),
  }
}
