/*
 * Epic's engine (`beta/`) signs in like the launcher and keeps the refresh token in a file of its
 * own (`betaSignIn.json`, mode 0600). Each renewal replaces that token, so renewals are never
 * cancelled, run one at a time, and are stored before anything else happens; after a sign-out in
 * between, they are not. A refused token is deleted. Names of games are asked for one by one and
 * kept; a large new library may show ids until the next listing. Manifests are fetched directly,
 * without the token, from the first CDN that has them undamaged, in the binary form or the older
 * JSON; the other CDNs with the same path serve as further hosts of the chunks. Epic says for how long a
 * game was played, but not when: recent games are all of them.
 */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { createOutside, OutsideError, type Outside } from '../../../core/lib/outside.ts'
import { askBytes } from '../../../core/lib/outside-json.ts'
import { createBetaWeb, type BetaAsset } from '../../../engines/beta-connection/web.ts'
import { daemonFacts } from '../../../platforms/service-facts.ts'
import type { ContentObject } from '../content/download.ts'
import { FormatError } from '../content/format-error.ts'
import { LoginError, type AppPlan, type Engine } from '../engine.ts'
import type { DaemonSettings } from '../settings.ts'
import { createLibrary } from './library.ts'
import { createBetaLogin, refreshWith } from './login.ts'
import { readManifest } from './manifest.ts'
import { createSession } from './session.ts'
import { sourcesOf, type Source } from './sources.ts'

/** What the launcher sends. */
const userAgent =
  'EpicGamesLauncher/14.6.2-24350103+++Portal+Release-Live Windows/10.0.19044.1.256.64bit'
/** Games that count as the most played ones. */
const topMax = 50
/** Requests at the same time. */
const parallel = 30
/** Requests to one host: a new library takes one for each name. Other clients ask for 16 at once. */
const pace = { gapMs: 50, parallel: 4 }
const manifestTimeoutMs = 120_000
const manifestBytesMax = 256 * 1024 * 1024

/** Services and content servers receive the same user agent. */
function launcherOutside(): Outside {
  const outside = createOutside(pace)
  const headers = { 'user-agent': userAgent }
  return {
    get: (request, use) =>
      outside.get({ ...request, headers: { ...headers, ...request.headers } }, use),
  }
}

interface Build {
  sources: readonly Source[]
  sha1: string | null
}

/** Fetches a manifest from the first source that has it. Nothing of the sign-in is sent. */
async function fetchManifest(outside: Outside, { sources, sha1 }: Build, signal: AbortSignal) {
  let failure: unknown = null
  for (const source of sources) {
    const limits = { timeoutMs: manifestTimeoutMs, bytesMax: manifestBytesMax, signal }
    try {
      const file = await askBytes(outside, { url: source.url, ...limits })
      if (sha1 !== null && createHash('sha1').update(file).digest('hex') !== sha1) {
        throw new FormatError('a manifest is damaged: Epic names another SHA-1')
      }
      return { source, file }
    } catch (error) {
      signal.throwIfAborted()
      failure = error
    }
  }
  throw failure
}

const unavailable = (reason: string): AppPlan => ({
  totalBytes: 0,
  objects: [],
  depots: [],
  unavailable: { isUnsupportedOs: false, reason },
})

type Settings = Pick<DaemonSettings, 'beta' | 'configPath' | 'cachePath'>

/** The engine of Epic Games. */
export function createBetaEngine({ beta, configPath, cachePath }: Settings): Engine {
  const outside = launcherOutside()
  const web = createBetaWeb(outside, beta)
  const session = createSession(configPath, refreshWith(web))
  const library = createLibrary(web, session, join(cachePath, 'betaTitles.json'))

  async function currentBuild(asset: BetaAsset, signal: AbortSignal): Promise<Build> {
    try {
      const build = await session.authorized((token) => web.build(token, asset, signal))
      return { sources: sourcesOf(build.manifests, beta.contentHosts), sha1: build.sha1 }
    } catch (error) {
      if (error instanceof OutsideError && error.status === 404) return { sources: [], sha1: null }
      throw error
    }
  }

  return {
    wire: daemonFacts('beta'),
    login: createBetaLogin(web, beta, session),
    userAgent,
    parallel,
    bypassesCache: true,
    games: (signal) => library.games(signal),
    // Epic tells for how long a game was played, but not when: recent ones are all.
    async choose({ all, recent, top }, signal) {
      if (all || recent) return library.ids(signal)
      if (top !== null) return (await library.played(signal)).slice(0, Math.min(top, topMax))
      throw new Error('Epic Games does not say when a game was bought')
    },
    async version(appId, signal) {
      const asset = await library.asset(appId, signal)
      const { buildVersion } = asset
      const versions = buildVersion === undefined ? [] : [buildVersion]
      return { name: await library.nameOf(asset, signal), versions }
    },
    async plan(appId, { signal, preparing }) {
      const asset = await library.asset(appId, signal)
      const name = await library.nameOf(asset, signal)
      preparing(`Reading the manifest of ${name}`)
      const build = await currentBuild(asset, signal)
      if (build.sources.length === 0) return unavailable(`${name} has no build for Windows`)
      const { source, file } = await fetchManifest(outside, build, signal)
      // CDNs differ in the host only.
      const sameFiles = build.sources.filter(({ path }) => path === source.path)
      const hosts = [...new Set([source, ...sameFiles].map(({ host }) => host))]
      const objects = readManifest(file).map(({ path, bytes }): ContentObject => ({
        hosts,
        target: `${source.path}/${path}`,
        bytes,
      }))
      const totalBytes = objects.reduce((sum, { bytes }) => sum + bytes, 0)
      return { totalBytes, objects, depots: [], unavailable: null }
    },
    async cdnInfo(appIds, signal) {
      const apps: object[] = []
      for (const appId of appIds.length > 0 ? appIds : await library.ids(signal)) {
        try {
          const asset = await library.asset(appId, signal)
          const [source] = (await currentBuild(asset, signal)).sources
          if (source === undefined) continue
          const { host: cdnHost, path: chunkBaseUrl } = source
          apps.push({ appId, name: await library.nameOf(asset, signal), cdnHost, chunkBaseUrl })
        } catch (error) {
          signal.throwIfAborted()
          if (error instanceof LoginError) throw error
        }
      }
      return { apps }
    },
  }
}
