import { betaGames, epsilonGames } from './account-games.ts'
import { practiceChunks } from '../../test/support/stand-ins/beta-manifest.ts'
import { BetaStandIn, type BetaPlayer } from '../../test/support/stand-ins/beta.ts'
import { EpsilonStandIn } from '../../test/support/stand-ins/epsilon.ts'
import { serveLocally } from '../../test/support/stand-ins/serve-locally.ts'

/** Stands in for the services on the internet: names of the demo's games. */

const displayName = 'Demo player'
const otherName = 'Second player'
/** Chunks of each game of Epic, some 25 MB. */
const chunksPerGame = 330
/** Seconds between two questions whether a sign-in to Xbox was approved. */
const pollSeconds = 1

/** Depots of the demo's Steam titles: the app that owns them, and its name. */
const depots: readonly [depotId: number, appId: number, name: string][] = [
  [441, 440, 'Team Fortress 2'],
  [571, 570, 'Dota 2'],
  [621, 620, 'Portal 2'],
  [252_491, 252_490, 'Rust'],
  [413_151, 413_150, 'Stardew Valley'],
  [1_086_941, 1_086_940, "Baldur's Gate 3"],
  [1_091_501, 1_091_500, 'Cyberpunk 2077'],
  [1_158_311, 1_158_310, 'Crusader Kings III'],
  [1_245_621, 1_245_620, 'ELDEN RING'],
  [2_347_771, 730, 'Counter-Strike 2'],
]

function list(): object {
  const now = Date.now()
  const lastUpdated = new Date(now).toISOString()
  const nextUpdateDue = new Date(now + 24 * 3_600_000).toISOString()
  const depotMappings = Object.fromEntries(
    depots.map(([depotId, appId, name]) => [
      depotId,
      { ownerId: appId, appIds: [appId], appNames: [name], source: 'demo' },
    ]),
  )
  const metadata = { lastUpdated, nextUpdateDue, totalMappings: depots.length, version: '1.0' }
  return { metadata, depotMappings }
}

function store(appId: number): object {
  const name = depots.find(([, id]) => id === appId)?.[2]
  return { [appId]: name === undefined ? { success: false } : { success: true, data: { name } } }
}

function answer({ pathname, searchParams }: URL): Response {
  if (pathname === '/depots.json') return Response.json(list())
  if (pathname === '/api/appdetails')
    return Response.json(store(Number(searchParams.get('appids'))))
  if (pathname === '/hook') return new Response(null, { status: 204 })
  // Games that are invented have no images.
  return new Response('', { status: 404 })
}

/** A further account of Epic's, with tokens of its own. */
const playerOf = (code: string, who: Pick<BetaPlayer, 'displayName' | 'assets'>): BetaPlayer => ({
  ...who,
  code,
  accountId: code,
  refreshToken: '',
  accessToken: '',
})

/** Epic's services, with the demo's accounts. */
function serveBeta(): BetaStandIn {
  const beta = new BetaStandIn()
  beta.displayName = displayName
  beta.assets = Object.values(betaGames).map((game, index) => ({
    ...game,
    build: { chunks: practiceChunks(chunksPerGame, index) },
  }))
  const { assets } = beta
  beta.others.push(
    playerOf('prefill', { displayName, assets }),
    playerOf('second', { displayName: otherName, assets: assets.slice(0, 1) }),
  )
  // For names, for prefill, and then the one that a visitor may add.
  const codes = [beta.code, ...beta.others.map(({ code }) => code)]
  beta.shownCode = () => (codes.length > 1 ? codes.shift() : codes[0]) ?? ''
  beta.playtime = { [betaGames.lantern.appName]: 7200 }
  return beta
}

/** Microsoft's and Xbox' services, with the demo's account. */
function serveEpsilon(): EpsilonStandIn {
  const epsilon = new EpsilonStandIn()
  epsilon.gamertag = displayName
  epsilon.titles = Object.values(epsilonGames)
  epsilon.interval = pollSeconds
  epsilon.verificationUri = `${epsilon.url}/link`
  return epsilon
}

/** Servers on loopback, and the settings that point the service at them. */
export function serveOutside() {
  const { url, stop } = serveLocally((request) => answer(new URL(request.url)))
  const [beta, epsilon] = [serveBeta(), serveEpsilon()]
  return {
    /** Takes notifications. */
    hookUrl: `${url}/hook`,
    environment: {
      Alpha__WebApiBaseUrl: url,
      Alpha__CmListBaseUrl: url,
      Alpha__StoreBaseUrl: url,
      Alpha__DepotListUrl: `${url}/depots.json`,
      Images__AlphaBaseUrl: `${url}/images`,
      Images__BetaBaseUrl: `${url}/images`,
      Images__EpsilonBaseUrl: `${url}/images`,
      ...beta.environment,
      Beta__LoginBaseUrl: beta.url,
      ...epsilon.environment,
    },
    stop: () => Promise.all([stop(), beta.stop(), epsilon.stop()]),
  }
}
