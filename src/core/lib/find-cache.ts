import { lookup } from 'node:dns/promises'
import { isLoopbackAddress, isPrivateAddress } from './address.ts'
import { readGateways } from './dns-servers.ts'
import { heartbeat, type ProxyAddress } from './heartbeat.ts'

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

export const isNear = (address: string): boolean =>
  isPrivateAddress(address) || isLoopbackAddress(address)

/** Addresses of a configured name. It may have one of each family, and the cache listen on only one. */
export async function addressesOf(host: string): Promise<string[]> {
  const places = await lookup(host, { all: true }).catch(() => [])
  return places.slice(0, addressesMax).map(({ address }) => address)
}

/**
 * The proxy that answers with a heartbeat: the configured one, else the first of the usual
 * addresses. Null without one.
 */
export async function findProxy(
  configured: { host: string; port: number } | null,
): Promise<ProxyAddress | null> {
  // Resolved once, so that the address fetched from is the verified one.
  return configured === null
    ? firstThatAnswers(await usualPlaces(), 80)
    : firstThatAnswers(await addressesOf(configured.host), configured.port)
}

/** The first of these addresses at which a cache answers; null without one. */
export async function firstThatAnswers(
  hosts: readonly string[],
  port: number,
): Promise<ProxyAddress | null> {
  const answers = await Promise.all(hosts.map((host) => heartbeat(host, port)))
  return answers.find((answer) => answer !== null) ?? null
}
