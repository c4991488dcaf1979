import { addressesOf, findProxy, firstThatAnswers, isNear } from '../../../core/lib/find-cache.ts'
import type { ServerAddress } from '../../../core/lib/cache-network.ts'

/** No cache can be used; ends a run. */
export class CacheNotFound extends Error {}

/**
 * The address of the cache, verified by its heartbeat. Public addresses are refused before anything
 * is sent to them, unless they are allowed. `configured` null: searched for. Throws CacheNotFound.
 */
export async function verifiedCache(
  configured: ServerAddress | null,
  { allowsPublic }: { allowsPublic: boolean },
): Promise<ServerAddress> {
  if (configured === null) {
    const found = await findProxy(null)
    if (found !== null) return { host: found.host, port: found.port }
    throw new CacheNotFound('No cache answered with its heartbeat; set LANCACHE_IP to its address')
  }
  const place = configured.port === 80 ? configured.host : `${configured.host}:${configured.port}`
  const addresses = await addressesOf(configured.host)
  if (addresses.length === 0) throw new CacheNotFound(`LANCACHE_IP: ${place} has no address`)
  const allowed = allowsPublic ? addresses : addresses.filter(isNear)
  if (allowed.length === 0) {
    const remedy = 'a cache has a private one; PREFILL_ALLOW_PUBLIC_CACHE=true allows it'
    throw new CacheNotFound(`LANCACHE_IP: ${place} is a public address; ${remedy}`)
  }
  const found = await firstThatAnswers(allowed, configured.port)
  if (found !== null) return { host: found.host, port: found.port }
  throw new CacheNotFound(`LANCACHE_IP: no cache answers with its heartbeat at ${place}`)
}
