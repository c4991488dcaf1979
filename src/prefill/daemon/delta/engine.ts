/*
 * Riot's engine (`delta/`) needs no account either. The manifest is fetched directly, as the
 * client does; bundles are requested whole, because caches store answers with several ranges
 * badly. The language bit comes from the manifest's own list of languages.
 */
import { deltaName } from '../../../engines/titles/delta/title.ts'
import { createOutside } from '../../../core/lib/outside.ts'
import { askBytes, askJson } from '../../../core/lib/outside-json.ts'
import { daemonFacts } from '../../../platforms/service-facts.ts'
import type { ContentObject } from '../content/download.ts'
import type { Engine } from '../engine.ts'
import type { DaemonSettings } from '../settings.ts'
import { readManifest } from './manifest.ts'
import { PatchLines, releaseOf, type Release } from './patch-lines.ts'

const userAgent = 'RiotNetwork/1.0.0'
const timeoutMs = 120_000
const manifestBytesMax = 256 * 1024 * 1024
/** Requests at the same time. */
const parallel = 20
const language = 'en_us'

/** Products, and the first part of their content hosts. */
const products: Readonly<Record<string, string>> = {
  league_of_legends: 'lol',
  valorant: 'valorant',
  bacon: 'bacon',
}
const nameOf = (product: string) => deltaName(products[product] ?? '') ?? product

function requireProduct(product: string): void {
  if (!Object.hasOwn(products, product)) {
    throw new Error(`there is no product ${JSON.stringify(product)}`)
  }
}

/** The engine of Riot Games; needs no account. */
export function createDeltaEngine({ delta }: Pick<DaemonSettings, 'delta'>): Engine {
  const outside = createOutside()
  /** What `version` said last, so that a run downloads the version that it compared. */
  const releases = new Map<string, Release>()

  async function currentRelease(product: string, signal: AbortSignal): Promise<Release> {
    const namespace = `keystone.products.${product}.patchlines`
    const url = `${delta.configBaseUrl}/api/v1/config/public?namespace=${namespace}`
    const headers = { 'user-agent': userAgent }
    const { value } = await askJson(outside, { url, headers, timeoutMs, signal }, PatchLines)
    const release = value === null ? null : releaseOf(value, product)
    if (release === null) throw new Error(`there is no release of ${nameOf(product)} for Windows`)
    releases.set(product, release)
    return release
  }

  return {
    wire: daemonFacts('delta'),
    login: null,
    userAgent,
    parallel,
    bypassesCache: true,
    games: () =>
      Promise.resolve(
        Object.keys(products).map((appId) => ({
          appId,
          name: nameOf(appId),
          imageUrl: null,
          minutesPlayedLast2Weeks: 0,
        })),
      ),
    // Without an account nothing is known about playtime: every filter means all products.
    choose: () => Promise.resolve(Object.keys(products)),
    async version(product, signal) {
      requireProduct(product)
      const { version } = await currentRelease(product, signal)
      return { name: nameOf(product), versions: [version] }
    },
    async plan(product, { signal, preparing }) {
      requireProduct(product)
      const release = releases.get(product) ?? (await currentRelease(product, signal))
      preparing(`Reading the manifest of ${nameOf(product)}`)
      const request = { url: release.manifestUrl, timeoutMs, bytesMax: manifestBytesMax, signal }
      const file = await askBytes(outside, request)
      const hosts = [`${products[product]}.dyn.riotcdn.net`]
      const objects = readManifest(file, language).map(({ id, bytes }): ContentObject => ({
        hosts,
        target: `/channels/public/bundles/${id}.bundle`,
        bytes,
        // A bundle may hold more than the chunks that the manifest lists.
        expected: { isAtLeast: true },
      }))
      const totalBytes = objects.reduce((sum, { bytes }) => sum + bytes, 0)
      return { totalBytes, objects, depots: [], unavailable: null }
    },
    close: () => Promise.resolve(),
  }
}
