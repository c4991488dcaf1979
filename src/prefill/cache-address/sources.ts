import { lookup } from 'node:dns/promises'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type Docker from 'dockerode'
import { heartbeat } from '../../core/lib/heartbeat.ts'
import { askAddresses } from '../../core/lib/dns-question.ts'
import { isPrivateAddress, normalAddress } from '../../core/lib/address.ts'
import { readGateways } from '../../core/lib/dns-servers.ts'
import type { Peer, Peers } from './peers.ts'

/** A name that resolves to the cache on networks that have one. */
const usualName = 'lancache.steamcontent.com'
const variable = 'LANCACHE_IP'
/** Candidates asked for their heartbeat. */
const candidatesMax = 64
const dnsLimitMs = 2000
/** A larger file is no settings file. */
const envFileMax = 65_536

/** How addresses are verified and names resolved; tests replace them. */
export interface Probes {
  /** Whether a cache answers with its heartbeat at this address. */
  isCache(address: string): Promise<boolean>
  /** Addresses of a name from one DNS server. */
  resolve(server: string, name: string): Promise<string[]>
  /** Addresses of a name from the system's resolvers; none: it cannot be resolved. */
  lookUp(name: string): Promise<string[]>
  /** Gateways of the default routes. */
  gateways(): string[]
}

export const probes: Probes = {
  isCache: async (address) => (await heartbeat(address, 80)) !== null,
  async resolve(server, name) {
    const answers = await askAddresses({ server, limitMs: dnsLimitMs }, name)
    return answers.flatMap((answer) => (answer.kind === 'found' ? answer.values : []))
  },
  async lookUp(name) {
    const found = await lookup(name, { all: true }).catch(() => [])
    return found.map(({ address }) => address)
  },
  gateways: readGateways,
}

/** The first of these private addresses at which a cache answers. */
export async function firstCache(
  probe: Probes,
  addresses: readonly string[],
): Promise<string | null> {
  const near = addresses.map(normalAddress).filter((address) => address !== null)
  const candidates = [...new Set(near.filter(isPrivateAddress))].slice(0, candidatesMax)
  const answers = await Promise.all(candidates.map((address) => probe.isCache(address)))
  return candidates.find((_, index) => answers[index] === true) ?? null
}

/** Asks the cache's DNS server. On the host's network it has the host's address. */
export async function fromDns(
  probe: Probes,
  { dns }: Peers,
  configured: string | null,
): Promise<string | null> {
  const own = dns?.usesHostNetwork === true ? probe.gateways() : (dns?.addresses ?? [])
  const servers = [...(configured === null ? [] : [configured]), ...own]
  for (const server of servers) {
    const found = await firstCache(probe, await probe.resolve(server, usualName))
    if (found !== null) return found
  }
  return null
}

/** A stack may have several caches: the first address is used. */
const firstAddress = (text: string | undefined): string | null =>
  (text ?? '')
    .split(/[\s,"']+/)
    .map(normalAddress)
    .find((address) => address !== null) ?? null

/** From the environment of the cache's DNS container. */
export async function fromContainer(engine: Docker, dns: Peer): Promise<string | null> {
  const { Config: config } = await engine.getContainer(dns.id).inspect()
  const line = config.Env.find((entry) => entry.startsWith(`${variable}=`))
  return firstAddress(line?.slice(variable.length + 1))
}

/** From the settings file of the cache's stack. */
export function fromEnvFile(path: string): string | null {
  try {
    const text = readFileSync(path, 'utf8').slice(0, envFileMax)
    return firstAddress(new RegExp(`^\\s*(?:export\\s+)?${variable}=(.*)$`, 'm').exec(text)?.[1])
  } catch {
    // Stacks of other machines and of other mounts have no readable file here.
    return null
  }
}

/** Settings files of the stack, as far as they are known. */
export const envFilesOf = (dns: Peer | null, configured: string | null): string[] => [
  ...(configured === null ? [] : [configured]),
  ...(dns === null || dns.stackFolder === null ? [] : [join(dns.stackFolder, '.env')]),
]

/** Addresses at which a cache often is, most likely first. */
export async function usualPlaces(
  probe: Probes,
  { dns, caches, others }: Peers,
  configured: string | null,
): Promise<string[]> {
  return [
    ...(configured === null ? [] : [configured]),
    ...(dns?.addresses ?? []),
    ...caches.flatMap(({ addresses }) => addresses),
    ...probe.gateways(),
    ...(await probe.lookUp('host.docker.internal')),
    ...others.flatMap(({ addresses }) => addresses),
  ]
}
