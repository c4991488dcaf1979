import { fragmentsOf } from '../../../engines/epsilon-connection/fragments.ts'
import type {
  EpsilonLibrary,
  EpsilonPackage,
  EpsilonProduct,
} from '../../../engines/epsilon-connection/library.ts'
import { LoginError } from '../engine.ts'
import type { EpsilonAccount } from './account.ts'

/** Releases that are kept between `version` and `plan`. */
const releasesMax = 50

/** What a product consists of now. */
interface Release {
  name: string
  packages: (EpsilonPackage & { contentId: string })[]
}

interface ReleaseParts {
  library: EpsilonLibrary
  account: EpsilonAccount
  /** Name of a title of the account; null: not known. */
  nameOf: (productId: string) => string | null
}

/** Texts of which one changes with the product; none where a package has no version. */
export function versionsOf({ packages }: Release): string[] {
  if (packages.some(({ version }) => version === '')) return []
  return packages.map(({ contentId, version }) => `${contentId}:${version}`)
}

/** Asks what products consist of. */
export function createReleases({ library, account, nameOf }: ReleaseParts) {
  const kept = new Map<string, Release>()

  type Choice = (product: EpsilonProduct) => readonly string[]

  /** With the packages that are chosen. Rejects for an unknown product. */
  async function read(productId: string, choice: Choice, signal: AbortSignal): Promise<Release> {
    const product = await library.product(productId, signal)
    // The store has names of editions.
    const name = nameOf(productId) ?? product.title
    if (name === null && product.contentIds.length === 0) {
      throw new Error(`there is no product ${JSON.stringify(productId)}`)
    }
    const packages: Release['packages'] = []
    for (const contentId of choice(product)) {
      const found = await account.use(
        (access) => library.package(contentId, access.packages, signal),
        signal,
      )
      if (found !== null) packages.push({ ...found, contentId })
    }
    return { name: name ?? productId, packages }
  }

  async function current(productId: string, signal: AbortSignal): Promise<Release> {
    const release = await read(productId, ({ pcContentIds }) => pcContentIds, signal)
    const [oldest] = kept.keys()
    if (kept.size >= releasesMax && oldest !== undefined) kept.delete(oldest)
    kept.set(productId, release)
    return release
  }

  return {
    /** What a PC downloads. */
    current,
    /** What any device downloads. */
    ofAllDevices: (productId: string, signal: AbortSignal): Promise<Release> =>
      read(productId, ({ contentIds }) => contentIds, signal),
    /** What `current` said last, so that a run downloads the version that it compared. */
    latest: async (productId: string, signal: AbortSignal): Promise<Release> =>
      kept.get(productId) ?? current(productId, signal),
  }
}

/** By what a log shows that a request is for a product; those without an answer are left out. */
export async function cdnInfoOf(
  { ofAllDevices }: ReturnType<typeof createReleases>,
  productIds: readonly string[],
  signal: AbortSignal,
): Promise<{ apps: object[] }> {
  const apps: object[] = []
  for (const appId of productIds) {
    try {
      const { name, packages } = await ofAllDevices(appId, signal)
      const fragments = fragmentsOf(packages.flatMap(({ files }) => files))
      const filePathFragments = fragments.map(({ fragment }) => fragment)
      const cdnHost = fragments[0]?.host ?? ''
      apps.push({ appId, name, cdnHost, chunkBaseUrl: '', filePathFragments })
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof LoginError) throw error
    }
  }
  return { apps }
}
