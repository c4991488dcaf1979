/*
 * Steam's engine (`alpha/`) uses the same connection as the catalogue (`engines/alpha-connection`)
 * and the same sign-in (`engines/alpha-login`), in the daemon's process, so that a fault of their
 * libraries ends a daemon at most. The connection is opened for a request and given up after two
 * quiet minutes. Name, token and the number of the session are in `account.json`, mode 0600; a
 * refused token is dropped. Its log-on number is below 16 384, the service's own above, so that
 * neither signs the other out. Names of files are not decrypted: a chunk's hash and size are in
 * the clear, so no depot key is asked for. Manifests are fetched directly and over plain HTTP
 * where the server allows it, because a cache that answers for Steam's hosts may not speak HTTPS.
 * Versions are compared for the systems of the run: another system has other depots. Not every content
 * server has every depot: one that answers 403 is left out for the depot, and a depot that none has
 * fails alone.
 */
import { Type } from '@sinclair/typebox'
import { errorText } from '../../../core/lib/error-text.ts'
import { createOutside, OutsideError, type Outside } from '../../../core/lib/outside.ts'
import { askBytes, askJson } from '../../../core/lib/outside-json.ts'
import { daemonFacts } from '../../../platforms/service-facts.ts'
import type { ContentObject } from '../content/download.ts'
import type { AppPlan, Engine } from '../engine.ts'
import type { DaemonSettings } from '../settings.ts'
import { createAccount } from './account.ts'
import { DepotUnavailable, type AlphaClient, type ManifestName } from './client.ts'
import { depotsOf, type GameDepots } from './depots.ts'
import { createLibrary } from './library.ts'
import { readManifest, type Chunk } from './manifest.ts'

const timeoutMs = 15_000
/** Servers that a run uses, the least loaded ones; Steam names some twenty. */
const serversMax = 40
/** A run asks for every game; the list is asked for again after this. */
const freshMs = 10 * 60_000
const kinds = ['SteamCache', 'CDN']

const ServerList = Type.Object({
  response: Type.Object({
    servers: Type.Array(
      Type.Object({
        type: Type.String(),
        host: Type.String({ maxLength: 300 }),
        weighted_load: Type.Optional(Type.Number()),
        https_support: Type.Optional(Type.String()),
        allowed_app_ids: Type.Optional(Type.Array(Type.Number())),
      }),
      { maxItems: 1000 },
    ),
  }),
})

interface ContentServer {
  host: string
  /** Plain HTTP, where the server allows it: that also works where the cache answers for it. */
  baseUrl: string
}

async function askServers(
  outside: Outside,
  { webApiBaseUrl, cellId }: { webApiBaseUrl: string; cellId: number },
  signal: AbortSignal,
): Promise<ContentServer[]> {
  const path = '/IContentServerDirectoryService/GetServersForSteamPipe/v1/'
  const url = `${webApiBaseUrl}${path}?cell_id=${cellId}`
  const { value } = await askJson(outside, { url, timeoutMs, signal }, ServerList)
  const usable = (value?.response.servers ?? [])
    .filter(({ type, allowed_app_ids: apps = [] }) => kinds.includes(type) && apps.length === 0)
    .toSorted((one, other) => (one.weighted_load ?? 0) - (other.weighted_load ?? 0))
  const servers = new Map(
    usable.map(({ host, https_support: support }) => {
      const scheme = support === 'mandatory' ? 'https' : 'http'
      return [host, { host, baseUrl: `${scheme}://${host}` }]
    }),
  )
  if (servers.size === 0) throw new Error('Steam names no content servers')
  return [...servers.values()].slice(0, serversMax)
}

/** Steam's content servers for everyone, the least loaded first. Rejects when there is none. */
function createContentServers(outside: Outside, webApiBaseUrl: string) {
  let known: { cellId: number; untilMs: number; servers: ContentServer[] } | null = null
  return async (cellId: number, signal: AbortSignal): Promise<ContentServer[]> => {
    if (known?.cellId === cellId && known.untilMs > performance.now()) return known.servers
    const servers = await askServers(outside, { webApiBaseUrl, cellId }, signal)
    known = { cellId, untilMs: performance.now() + freshMs, servers }
    return servers
  }
}

/** The content servers of one depot, the preferred one first. */
interface DepotServers {
  readonly hosts: readonly string[]
  /** The server does not have the depot. */
  refuse: (host: string) => void
}

function depotServers(servers: readonly ContentServer[]): DepotServers {
  const depot = {
    hosts: servers.map(({ host }) => host),
    refuse(refused: string) {
      depot.hosts = depot.hosts.filter((host) => host !== refused)
    },
  }
  return depot
}

/** Without it, the cache does not recognise the service. */
const userAgent = 'Valve/Steam HTTP Client 1.0'
/** Requests at the same time. */
const parallel = 30
/** Requests for manifests to one content server. */
const pace = { gapMs: 50, parallel: 4 }
/** Games that are kept between `version` and `plan`. */
const comparedMax = 50
const manifestMs = 60_000
const manifestBytesMax = 128 * 1024 * 1024

function idOf(appId: string): number {
  if (/^[1-9]\d{0,9}$/.test(appId)) return Number(appId)
  throw new Error(`there is no app ${JSON.stringify(appId)}`)
}

interface Source {
  client: AlphaClient
  outside: Outside
  servers: readonly ContentServer[]
  signal: AbortSignal
}

interface Part {
  depotId: number
  servers: DepotServers
  chunks: Chunk[]
}

const isForbidden = (error: unknown) => error instanceof OutsideError && error.status === 403

/** Tries one server after the other. Rejects with DepotUnavailable when none has the manifest. */
async function partOf(manifest: ManifestName, source: Source): Promise<Part> {
  const { client, outside, signal } = source
  const { depotId, manifestId } = manifest
  const code = await client.manifestCode(manifest, signal)
  const servers = depotServers(source.servers)
  const headers = { 'user-agent': userAgent }
  let failure: unknown
  for (const { host, baseUrl } of source.servers) {
    const url = `${baseUrl}/depot/${depotId}/manifest/${manifestId}/5/${code}`
    const common = { headers, timeoutMs: manifestMs, signal, bytesMax: manifestBytesMax }
    try {
      const chunks = readManifest(await askBytes(outside, { url, ...common, attempts: 1 }))
      return { depotId, servers, chunks }
    } catch (error) {
      signal.throwIfAborted()
      if (isForbidden(error)) servers.refuse(host)
      failure = error
    }
  }
  throw new DepotUnavailable(
    `no content server has the manifest of depot ${depotId}: ${errorText(failure)}`,
  )
}

/** Requests for chunks of the depots, from the first to before the last. */
function* objectsOf(
  parts: readonly Part[],
  first: number,
  last?: number,
): Generator<ContentObject> {
  for (const { depotId, servers, chunks } of parts) {
    for (const { id, bytes } of chunks.slice(first, last)) {
      const { hosts, refuse } = servers
      if (hosts.length === 0) break
      yield { hosts, target: `/depot/${depotId}/chunk/${id}`, bytes, refused: refuse }
    }
  }
}

function nothing({ name, isUnsupportedOs }: GameDepots): AppPlan {
  const reason = isUnsupportedOs ? 'is not for the chosen systems' : 'has nothing to download'
  const unavailable = { isUnsupportedOs, reason: `${name} ${reason}` }
  return { totalBytes: 0, objects: [], depots: [], unavailable }
}

/** The chunks of all depots; one that is not available leaves the others. */
async function planOf(
  { name, depots }: GameDepots,
  source: Source,
  preparing: (message: string) => void,
): Promise<AppPlan> {
  const parts: Part[] = []
  const refusals: string[] = []
  for (const [index, manifest] of depots.entries()) {
    preparing(`Reading manifest ${index + 1} of ${depots.length} of ${name}`)
    try {
      parts.push(await partOf(manifest, source))
    } catch (error) {
      if (!(error instanceof DepotUnavailable)) throw error
      refusals.push(error.message)
    }
  }
  return {
    totalBytes: parts.flatMap(({ chunks }) => chunks).reduce((sum, { bytes }) => sum + bytes, 0),
    // Only the first chunk of a depot is refused by the servers that do not have it.
    probes: objectsOf(parts, 0, 1),
    objects: objectsOf(parts, 1),
    get problems() {
      const unserved = parts.filter(({ servers }) => servers.hosts.length === 0)
      return [
        ...refusals,
        ...unserved.map(({ depotId }) => `no content server gives out depot ${depotId}`),
      ]
    },
    depots: depots.map(({ depotId, manifestId }) => ({ depotId: String(depotId), manifestId })),
    unavailable: null,
  }
}

/** The engine of Steam; downloads what an account owns. */
export function createAlphaEngine({
  alpha,
  configPath,
}: Pick<DaemonSettings, 'alpha' | 'configPath'>): Engine {
  const { webApiBaseUrl } = alpha
  const outside = createOutside(pace)
  const contentServers = createContentServers(outside, webApiBaseUrl)
  const changed = () => {
    library.forget()
    compared.clear()
  }
  const account = createAccount({ configPath, addresses: alpha, outside, changed })
  const client = () => account.client()
  const library = createLibrary({ client, outside, webApiBaseUrl })

  async function gameDepots(appId: string, systems: readonly string[], signal: AbortSignal) {
    const about = { appId: idOf(appId), ownership: await library.ownership(signal), systems }
    return depotsOf(client(), about, signal)
  }
  /** What `version` said last, so that a run downloads what it compared, and asks once for it. */
  const compared = new Map<string, GameDepots>()
  const comparedKey = (appId: string, systems: readonly string[]) => `${appId} ${systems.join()}`

  return {
    wire: daemonFacts('alpha'),
    login: account.login,
    userAgent,
    parallel,
    bypassesCache: true,
    async games(signal) {
      const games = await library.games(signal)
      const { borrowed } = await library.ownership(signal)
      const minutes = await client().recentMinutes(signal)
      return games.map(({ appId, name }) => ({
        appId: String(appId),
        name: borrowed.has(appId) ? `${name} (family sharing)` : name,
        imageUrl: null,
        minutesPlayedLast2Weeks: minutes.get(appId) ?? 0,
      }))
    },
    async choose(filter, signal) {
      return (await library.choose(filter, signal)).map(({ appId }) => String(appId))
    },
    async version(appId, signal, systems = []) {
      const game = await gameDepots(appId, systems, signal)
      const { name, depots } = game
      const [oldest] = compared.keys()
      if (compared.size >= comparedMax && oldest !== undefined) compared.delete(oldest)
      compared.set(comparedKey(appId, systems), game)
      const versions = depots.map(({ depotId, manifestId }) => `${depotId}:${manifestId}`)
      return { name, versions }
    },
    async plan(appId, { signal, systems, preparing }) {
      const key = comparedKey(appId, systems)
      const game = compared.get(key) ?? (await gameDepots(appId, systems, signal))
      compared.delete(key)
      if (game.depots.length === 0) return nothing(game)
      const cellId = await client().cellId(signal)
      const servers = await contentServers(cellId, signal)
      return planOf(game, { client: client(), outside, servers, signal }, preparing)
    },
    close: () => account.close(),
  }
}
