/*
 * Riot's engine (`delta/`) needs no account either. Manifests are fetched directly, as the
 * client does; bundles are requested whole, because caches store answers with several ranges
 * badly. The language bit comes from the manifest's own list of languages. League of Legends has two
 * manifests, of its launcher and of the game, which a second service names; its version is both.
 */
import type { TSchema } from '@sinclair/typebox'
import { deltaName } from '../../../engines/titles/delta/title.ts'
import { createOutside, type Outside } from '../../../core/lib/outside.ts'
import { askBytes, askJson } from '../../../core/lib/outside-json.ts'
import { daemonFacts } from '../../../platforms/service-facts.ts'
import type { ContentObject } from '../content/download.ts'
import { listedGame, type Engine } from '../engine.ts'
import type { DaemonSettings } from '../settings.ts'
import { readManifest } from './manifest.ts'
import {
  newestOf,
  PatchLines,
  patchLineOf,
  VersionSet,
  type ManifestPlace,
  type Sieve,
} from './patch-lines.ts'

const userAgent = 'RiotNetwork/1.0.0'
const answerMs = 30_000
const manifestMs = 120_000
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

/** Asks the services for the manifests of a product's current version. */
function manifestsFrom({ configBaseUrl, sieveBaseUrl }: DaemonSettings['delta'], outside: Outside) {
  function ask<T extends TSchema>(url: string, form: T, signal: AbortSignal) {
    const headers = { 'user-agent': userAgent }
    return askJson(outside, { url, headers, timeoutMs: answerMs, signal }, form)
  }

  async function sifted(product: string, sieve: Sieve, signal: AbortSignal) {
    const { artifact_type_id, platform } = sieve.parameters
    const set = `${products[product]}/version-sets/${encodeURIComponent(sieve.version_set)}`
    const query = `q[platform]=${encodeURIComponent(platform)}&q[published]=true`
    const url = `${sieveBaseUrl}/api/v1/products/${set}?${query}`
    const { value } = await ask(url, VersionSet, signal)
    const found = value === null ? null : newestOf(value, sieve.parameters)
    if (found !== null) return found
    throw new Error(`there is no ${artifact_type_id} of ${nameOf(product)} for ${platform}`)
  }

  return async (product: string, signal: AbortSignal): Promise<ManifestPlace[]> => {
    const namespace = `keystone.products.${product}.patchlines`
    const url = `${configBaseUrl}/api/v1/config/public?namespace=${namespace}`
    const { value } = await ask(url, PatchLines, signal)
    const line = value === null ? null : patchLineOf(value, product)
    if (line === null) throw new Error(`there is no release of ${nameOf(product)} for Windows`)
    const manifests = [...line.manifests]
    for (const sieve of line.sieves) manifests.push(await sifted(product, sieve, signal))
    return manifests
  }
}

/** The engine of Riot Games; needs no account. */
export function createDeltaEngine(
  { delta }: Pick<DaemonSettings, 'delta'>,
  outside = createOutside(),
): Engine {
  const askManifests = manifestsFrom(delta, outside)
  /** What `version` said last, so that a run downloads the version that it compared. */
  const current = new Map<string, ManifestPlace[]>()

  return {
    wire: daemonFacts('delta'),
    login: null,
    userAgent,
    parallel,
    bypassesCache: true,
    games: () =>
      Promise.resolve(Object.keys(products).map((appId) => listedGame(appId, nameOf(appId)))),
    // Without an account nothing is known about playtime: every filter means all products.
    choose: () => Promise.resolve(Object.keys(products)),
    async version(product, signal) {
      requireProduct(product)
      const manifests = await askManifests(product, signal)
      current.set(product, manifests)
      return { name: nameOf(product), versions: manifests.map(({ version }) => version) }
    },
    async plan(product, { signal, preparing }) {
      requireProduct(product)
      const manifests = current.get(product) ?? (await askManifests(product, signal))
      preparing(`Reading the manifest of ${nameOf(product)}`)
      const bundles = new Map<string, number>()
      for (const { url } of manifests) {
        const request = { url, timeoutMs: manifestMs, bytesMax: manifestBytesMax, signal }
        const file = await askBytes(outside, request)
        for (const { id, bytes } of readManifest(file, language)) {
          bundles.set(id, Math.max(bytes, bundles.get(id) ?? 0))
        }
      }
      const hosts = [`${products[product]}.dyn.riotcdn.net`]
      const objects = [...bundles].map(([id, bytes]): ContentObject => ({
        hosts,
        target: `/channels/public/bundles/${id}.bundle`,
        bytes,
        // A bundle may hold more than the chunks that the manifest lists.
        expected: { isAtLeast: true },
      }))
      const totalBytes = objects.reduce((sum, { bytes }) => sum + bytes, 0)
      return { totalBytes, objects, depots: [], unavailable: null }
    },
  }
}
