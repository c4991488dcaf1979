import { lookup } from 'node:dns/promises'
import { isPrivateAddress } from '../../core/lib/address.ts'
import { readGateways } from '../../core/lib/dns-servers.ts'
import { heartbeat, type ProxyAddress } from '../../core/lib/heartbeat.ts'

/** Addresses tried for a configured name. */
const addressesMax = 8
/** A name that resolves to the cache on networks that have one. */
const usualName = 'lancache.steamcontent.com'

/** Usual addresses of a network's cache: this machine, the gateways, its usual name. */
async function usualPlaces(): Promise<string[]> {
  const places = ['127.0.0.1', ...readGateways()]
  const resolved = await lookup(usualName, { all: true }).catch(() => [])
  // Without a cache the name resolves to the real server, which is not ours.
  places.push(...resolved.map(({ address }) => address).filter(isPrivateAddress))
  return [...new Set(places)]
}

/**
 * The proxy that answers with a heartbeat: the configured one, else the first of the usual
 * addresses. Null without one.
 */
export async function findProxy(
  configured: { host: string; port: number } | null,
): Promise<ProxyAddress | null> {
  if (configured !== null) {
    // Resolved once, so that the address fetched from is the verified one. A name may have an
    // address of each family, and the cache may listen on only one.
    const places = await lookup(configured.host, { all: true }).catch(() => [])
    const hosts = places.slice(0, addressesMax).map(({ address }) => address)
    return firstThatAnswers(hosts, configured.port)
  }
  return firstThatAnswers(await usualPlaces(), 80)
}

async function firstThatAnswers(hosts: string[], port: number): Promise<ProxyAddress | null> {
  const answers = await Promise.all(hosts.map((host) => heartbeat(host, port)))
  return answers.find((answer) => answer !== null) ?? null
}
export {
  findProxy,
  heartbeat,
  probeAgent,
  type ProxyAddress,
} from '../../core/lib/cache-heartbeat.ts'
