import { picture } from './picture.ts'

/** Stands in for the services on the internet: names and images of the demo's games. */

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
  const appId = Number(/^\/images\/(\d+)\/header\.jpg$/.exec(pathname)?.[1])
  if (depots.some(([, id]) => id === appId)) return new Response(picture(appId))
  return new Response('', { status: 404 })
}

/** A server on loopback, and the settings that point the service at it. */
export function serveOutside() {
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (request) => answer(new URL(request.url)),
  })
  const url = `http://127.0.0.1:${server.port}`
  return {
    environment: {
      Alpha__WebApiBaseUrl: url,
      Alpha__CmListBaseUrl: url,
      Alpha__StoreBaseUrl: url,
      Alpha__DepotListUrl: `${url}/depots.json`,
      Images__AlphaBaseUrl: `${url}/images`,
      Images__BetaBaseUrl: `${url}/images`,
      Images__EpsilonBaseUrl: `${url}/images`,
      // The other platforms name games only of a signed-in account, which the demo has none of.
      Beta__AccountBaseUrl: url,
      Epsilon__LoginBaseUrl: url,
    },
    stop: () => server.stop(true),
  }
}
