/*
 * Steam's engine (`alpha/`) uses the same connection as the catalogue (`engines/alpha-connection`)
 * and the same sign-in (`engines/alpha-login`), in the daemon's process, so that a fault of their
 * libraries ends a daemon at most. The connection is opened for a request and given up after two
 * quiet minutes. Name, token and the number of the session are in `account.json`, mode 0600; a
 * refused token is dropped. Its log-on number is below 16 384, the service's own above, so that
 * neither signs the other out. Names of files are not decrypted: a chunk's hash and size are in
 * the clear, so no depot key is asked for. Manifests are fetched directly and over plain HTTP
 * where the server allows it, because a cache that answers for Steam's hosts may not speak HTTPS.
 * Versions are compared for the systems of the run: another system has other depots.
 */
import { createOutside, type Outside } from '../../../core/lib/outside.ts'
import { askBytes } from '../../../core/lib/outside-json.ts'
import { daemonFacts } from '../../../platforms/service-facts.ts'
import type { ContentObject } from '../content/download.ts'
import type { AppPlan, Engine } from '../engine.ts'
import type { DaemonSettings } from '../settings.ts'
import { createAccount } from './account.ts'
import type { AlphaClient, ManifestName } from './client.ts'
import { contentServers, type ContentServer } from './content-servers.ts'
import { depotsOf, type GameDepots } from './depots.ts'
import { createLibrary } from './library.ts'
import { readManifest, type Chunk } from './manifest.ts'

/** Without it, the cache does not recognise the service. */
const userAgent = 'Valve/Steam HTTP Client 1.0'
/** Requests at the same time. */
const parallel = 30
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

/** Tries one server after the other: not each of them has every depot. */
async function chunksOf(manifest: ManifestName, source: Source): Promise<Chunk[]> {
  const { client, outside, servers, signal } = source
  const { depotId, manifestId } = manifest
  const code = await client.manifestCode(manifest, signal)
  const headers = { 'user-agent': userAgent }
  let failure: unknown
  for (const { baseUrl } of servers) {
    const url = `${baseUrl}/depot/${depotId}/manifest/${manifestId}/5/${code}`
    const common = { headers, timeoutMs: manifestMs, signal, bytesMax: manifestBytesMax }
    try {
      return readManifest(await askBytes(outside, { url, ...common, attempts: 1 }))
    } catch (error) {
      signal.throwIfAborted()
      failure = error
    }
  }
  throw failure
}

/** A game without depots for this account. */
function nothing({ name, isUnsupportedOs }: GameDepots): AppPlan {
  const reason = isUnsupportedOs ? 'is not for the chosen systems' : 'has nothing to download'
  const unavailable = { isUnsupportedOs, reason: `${name} ${reason}` }
  return { totalBytes: 0, objects: [], depots: [], unavailable }
}

/** The chunks of all depots. */
async function planOf(
  { name, depots }: GameDepots,
  source: Source,
  preparing: (message: string) => void,
): Promise<AppPlan> {
  const hosts = source.servers.map(({ host }) => host)
  const objects: ContentObject[] = []
  for (const [index, manifest] of depots.entries()) {
    preparing(`Reading manifest ${index + 1} of ${depots.length} of ${name}`)
    for (const { id, bytes } of await chunksOf(manifest, source)) {
      objects.push({ hosts, target: `/depot/${manifest.depotId}/chunk/${id}`, bytes })
    }
  }
  return {
    totalBytes: objects.reduce((sum, { bytes }) => sum + bytes, 0),
    objects,
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
  const outside = createOutside()
  const changed = () => library.forget()
  const account = createAccount({ configPath, addresses: alpha, outside, changed })
  const client = () => account.client()
  const library = createLibrary({ client, outside, webApiBaseUrl })

  const gameDepots = async (appId: string, systems: readonly string[], signal: AbortSignal) => {
    const about = { appId: idOf(appId), ownership: await library.ownership(signal), systems }
    return depotsOf(client(), about, signal)
  }

  return {
    wire: daemonFacts('alpha'),
    login: account.login,
    userAgent,
    parallel,
    bypassesCache: true,
    async games(signal) {
      const games = await library.games(signal)
      const minutes = await client().recentMinutes(signal)
      return games.map(({ appId, name }) => ({
        appId: String(appId),
        name,
        imageUrl: null,
        minutesPlayedLast2Weeks: minutes.get(appId) ?? 0,
      }))
    },
    async choose(filter, signal) {
      return (await library.choose(filter, signal)).map(({ appId }) => String(appId))
    },
    async version(appId, signal, systems = []) {
      const { name, depots } = await gameDepots(appId, systems, signal)
      const versions = depots.map(({ depotId, manifestId }) => `${depotId}:${manifestId}`)
      return { name, versions }
    },
    async plan(appId, { signal, systems, preparing }) {
      const game = await gameDepots(appId, systems, signal)
      if (game.depots.length === 0) return nothing(game)
      const servers = await contentServers(outside, webApiBaseUrl, signal)
      return planOf(game, { client: client(), outside, servers, signal }, preparing)
    },
    close: () => account.close(),
  }
}
