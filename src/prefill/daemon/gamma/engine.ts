/*
 * Battle.net's engine (`gamma/`) needs no account. A plan reads configs, manifests and indexes
 * through the cache, as the client does, so they are cached, too; the files of a product are then
 * ranges of archives. Manifests are read while they come, and keys and ranges are in flat arrays: the
 * largest games have millions of files and manifests of hundreds of megabytes. Each reader throws
 * `FormatError` for anything unexpected, and for content whose MD5 is known and another one; the file
 * is then requested once more, past the cache. Announced lengths take no memory before the bytes
 * are there. Files that the client requests but can do without may be missing.
 */
import pLimit from 'p-limit'
import { createOutside } from '../../../core/lib/outside.ts'
import { daemonFacts } from '../../../platforms/service-facts.ts'
import { listedGame, type Engine } from '../engine.ts'
import type { DaemonSettings } from '../settings.ts'
import { planProduct } from './plan.ts'
import { products, type Product } from './products.ts'
import { parseHosts, parseVersions, type ProductVersion } from './tables.ts'

const tableMs = 30_000
const tableBytesMax = 1024 * 1024
/** Requests at the same time. */
const parallel = 25

function productOf(code: string): Product {
  const product = products.find((one) => one.code === code)
  if (product === undefined) throw new Error(`there is no product ${JSON.stringify(code)}`)
  return product
}

/** The engine of Battle.net; needs no account. */
export function createGammaEngine({ gamma }: Pick<DaemonSettings, 'gamma'>): Engine {
  const outside = createOutside()
  /** One at a time: each has millions of keys in memory. */
  const planning = pLimit(1)
  /** What `version` said last, so that a run downloads the version that it compared. */
  const versions = new Map<string, ProductVersion>()

  const table = (code: string, name: 'versions' | 'cdns', signal: AbortSignal) => {
    const url = `${gamma.patchBaseUrl}/${code}/${name}`
    const request = { url, timeoutMs: tableMs, bytesMax: tableBytesMax, signal }
    return outside.get(request, (response) => response.text())
  }

  async function currentVersion(code: string, signal: AbortSignal): Promise<ProductVersion> {
    const version = parseVersions(await table(code, 'versions', signal))
    versions.set(code, version)
    return version
  }

  return {
    wire: daemonFacts('gamma'),
    login: null,
    userAgent: null,
    parallel,
    bypassesCache: false,
    games: () => Promise.resolve(products.map(({ code, name }) => listedGame(code, name))),
    // Without an account nothing is known about playtime: every filter means all products.
    choose: () => Promise.resolve(products.map(({ code }) => code)),
    async version(code, signal) {
      const { name } = productOf(code)
      return { name, versions: [(await currentVersion(code, signal)).name] }
    },
    async plan(code, options) {
      const product = productOf(code)
      const version = versions.get(code) ?? (await currentVersion(code, options.signal))
      const place = parseHosts(await table(code, 'cdns', options.signal))
      return planning(() => planProduct(product, { version, place }, options))
    },
  }
}
