import { readFileSync } from 'node:fs'
import http from 'node:http'
import { lookup } from 'node:dns/promises'
import { isPrivateAddress } from '../../core/lib/address.ts'
import { gatewaysOf } from '../../core/lib/dns-servers.ts'

/** Where a proxy listens, verified by its heartbeat. */
export interface ProxyAddress {
  host: string
  port: number
  /** What it calls itself. */
  name: string
}

/** Own requests are recognised by this and counted nowhere. */
export const probeAgent = 'Larder-Probe/1'
const heartbeatPath = '/lancache-heartbeat'
const heartbeatMs = 2000
const nameMax = 100
/** Addresses of a configured name that are tried. */
const addressesMax = 8
/** A name that resolves to the cache wherever one is in use. */
const usualName = 'lancache.steamcontent.com'

/** Null unless a cache answers there with its heartbeat. Never follows a redirect. */
export function heartbeat(host: string, port: number): Promise<ProxyAddress | null> {
  return new Promise((resolve) => {
    const target = { host, port, path: heartbeatPath, method: 'GET', agent: false as const }
    const headers = { host: 'lancache', 'user-agent': probeAgent }
    const request = http.request({ ...target, headers, timeout: heartbeatMs }, (response) => {
      response.resume()
      const name = response.headers['x-lancache-processed-by']
      const isCache = response.statusCode === 204 && typeof name === 'string' && name !== ''
      resolve(isCache ? { host, port, name: name.slice(0, nameMax) } : null)
      request.destroy()
    })
    const limit = setTimeout(() => request.destroy(), heartbeatMs)
    request.on('error', () => resolve(null))
    request.on('close', () => {
      clearTimeout(limit)
      resolve(null)
    })
    request.end()
  })
}

/** Places where the cache of this network usually is: this machine, the gateways, its usual name. */
async function usualPlaces(): Promise<string[]> {
  const places = ['127.0.0.1']
  try {
    places.push(...gatewaysOf(readFileSync('/proc/net/route', 'utf8')))
  } catch {
    // Another system than Linux.
  }
  const resolved = await lookup(usualName, { all: true }).catch(() => [])
  // Outside the network it is the real one, which is no cache of ours.
  places.push(...resolved.map(({ address }) => address).filter(isPrivateAddress))
  return [...new Set(places)]
}

/**
 * The proxy that answers with a heartbeat: the one that is configured, else the first of the usual
 * places. Null: none.
 */
export async function findProxy(
  configured: { host: string; port: number } | null,
): Promise<ProxyAddress | null> {
  if (configured !== null) {
    // Resolved once, so that the address that is fetched from is the one that was verified. A name
    // may have an address of each family, of which the cache listens on one.
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
