import {
  createEpsilonLibrary,
  type EpsilonPackage,
} from '../../../engines/epsilon-connection/library.ts'
import { createEpsilonTokens } from '../../../engines/epsilon-connection/tokens.ts'
import { createOutside } from '../../../core/lib/outside.ts'
import { platformFacts } from '../../platforms.ts'
import type { Engine } from '../engine.ts'
import type { DaemonSettings } from '../settings.ts'
import { createEpsilonAccount } from './account.ts'
import { filesOf, slicesOf } from './files.ts'
import { createTitles } from './titles.ts'

const userAgent = 'Microsoft.Xbox.GameStreaming/10.0'
/** Requests at the same time. */
const parallel = 30
/** Releases that are kept between `version` and `plan`. */
const releasesMax = 50

/** What a product consists of now. */
interface Release {
  name: string
  packages: (EpsilonPackage & { contentId: string })[]
}

/** The engine of Xbox. */
export function createEpsilonEngine({
  epsilon,
  configPath,
}: Pick<DaemonSettings, 'epsilon' | 'configPath'>): Engine {
  const outside = createOutside()
  const library = createEpsilonLibrary(outside, epsilon)
  const web = createEpsilonTokens(outside, epsilon)
  const account = createEpsilonAccount({ web, library }, configPath)
  const { storeBaseUrl } = epsilon
  const titles = createTitles({ outside, library, account, storeBaseUrl })
  /** What `version` said last, so that a run downloads the version that it compared. */
  const releases = new Map<string, Release>()

  async function currentRelease(productId: string, signal: AbortSignal): Promise<Release> {
    const product = await library.product(productId, signal)
    // The store has names of editions.
    const name = titles.nameOf(productId) ?? product.title
    if (name === null && product.contentIds.length === 0) {
      throw new Error(`there is no product ${JSON.stringify(productId)}`)
    }
    const packages: Release['packages'] = []
    for (const contentId of product.contentIds) {
      const found = await account.use(
        (access) => library.package(contentId, access.packages, signal),
        signal,
      )
      if (found !== null) packages.push({ ...found, contentId })
    }
    const release = { name: name ?? productId, packages }
    const [oldest] = releases.keys()
    if (releases.size >= releasesMax && oldest !== undefined) releases.delete(oldest)
    releases.set(productId, release)
    return release
  }

  return {
    wire: platformFacts.epsilon,
    login: account,
    userAgent,
    parallel,
    bypassesCache: false,
    games: async (signal) =>
      (await titles.list(signal)).map(({ productId, title }) => ({
        appId: productId,
        name: title,
        imageUrl: null,
        minutesPlayedLast2Weeks: 0,
      })),
    choose: (filter, signal) => titles.choose(filter, signal),
    async version(productId, signal) {
      const { name, packages } = await currentRelease(productId, signal)
      // A package without a version is never known to be up to date.
      const isKnown = packages.every(({ version }) => version !== '')
      const versions = packages.map(({ contentId, version }) => `${contentId}:${version}`)
      return { name, versions: isKnown ? versions : [] }
    },
    async plan(productId, { signal }) {
      const release = releases.get(productId) ?? (await currentRelease(productId, signal))
      const { files, totalBytes } = filesOf(release.packages)
      const reason = `Xbox has no package of ${release.name} to download`
      const unavailable = totalBytes > 0 ? null : { isUnsupportedOs: false, reason }
      return { totalBytes, objects: slicesOf(files), depots: [], unavailable }
    },
    close: () => Promise.resolve(),
  }
}
