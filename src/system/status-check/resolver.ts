import { lookup } from 'node:dns/promises'
import { performance } from 'node:perf_hooks'
import type { StackSettings } from '../../cache/contract.ts'
import { AppError } from '../../core/http/errors.ts'
import { isForbiddenAddress } from '../../core/lib/chosen-address.ts'
import { isPrivateAddress, normalAddress } from '../../core/lib/address.ts'
import { readGateways, serverText } from '../../core/lib/dns-servers.ts'
import type { SystemParts } from '../parts.ts'
import { askServer, type Answer } from '../../core/lib/dns-question.ts'
import type { Heartbeats } from './heartbeats.ts'
import type { expectedSources, ResolverMode, resolverSources } from './model.ts'

const queryMs = 3000
const candidatesMax = 6
/** A name that resolves to the cache on networks that have one. */
const knownName = 'lancache.steamcontent.com'
const hostName = 'host.docker.internal'

/** Asks for A records: caches answer over IPv4. */
export async function resolve(
  server: string | null,
  name: string,
): Promise<{ answer: Answer; latencyMs: number }> {
  const beganMs = performance.now()
  const answer = await askServer({ server, limitMs: queryMs }, 'A', name)
  return { answer, latencyMs: performance.now() - beganMs }
}

export interface Resolver {
  source: (typeof resolverSources)[number]
  /** Null: the system's own. */
  server: string | null
}

interface Parts {
  config: SystemParts['config']
  heartbeats: Heartbeats
}

/** Addresses that the stack's settings name, separated by spaces or commas. */
const stackIps = ({ values }: StackSettings): string[] =>
  (values.get('LANCACHE_IP') ?? '').split(/[\s,]+/).flatMap((one) => normalAddress(one) ?? [])

const addressesOf = async (name: string): Promise<string[]> => {
  const found = await lookup(name, { all: true, family: 4 }).catch(() => [])
  return found.map(({ address }) => address)
}

/** The container host, as containers know it. */
const hostIps = () => addressesOf(hostName)

/** Addresses of the configured cache; null: none is configured. */
async function configuredIps({ cacheNetwork }: Parts['config']): Promise<string[] | null> {
  if (cacheNetwork.address === null) return null
  const { host } = cacheNetwork.address
  const address = normalAddress(host)
  return address === null ? addressesOf(host) : [address]
}

async function candidates(
  { config }: Parts,
  stack: StackSettings,
  mode: ResolverMode,
): Promise<string[]> {
  const bridge = mode === 'host' ? [] : [...stack.dnsAddresses, ...readGateways()]
  const ours = (await configuredIps(config)) ?? []
  const host = mode === 'bridge' ? [] : [...ours, ...stackIps(stack), ...(await hostIps())]
  const all = [...bridge, ...host, ...(mode === 'bridge' ? [] : ['127.0.0.1'])]
  return [...new Set(all)].flatMap((one) => serverText(one) ?? []).slice(0, candidatesMax)
}

/** Addresses of the cache according to one resolver, verified by their heartbeat. */
async function verified({ heartbeats }: Parts, server: string | null): Promise<string[]> {
  const { answer } = await resolve(server, knownName)
  if (answer.kind !== 'found') return []
  const beats = await heartbeats.ofAll(answer.values)
  return answer.values.filter((ip) => beats.get(ip)?.reachable === true)
}

/**
 * The resolver of the check: the configured one, else the first candidate that leads to a cache,
 * else the system's.
 */
export async function chooseResolver(
  parts: Parts,
  stack: StackSettings,
  mode: ResolverMode,
): Promise<Resolver> {
  const { dnsServer } = parts.config.cacheNetwork
  if (dnsServer !== null) return { source: 'configured', server: dnsServer }
  const servers = await candidates(parts, stack, mode)
  for (const server of [...servers, ...servers]) {
    if ((await verified(parts, server)).length > 0) return { source: 'detected', server }
  }
  return { source: 'system', server: null }
}

export interface Expected {
  ips: string[]
  source: (typeof expectedSources)[number]
}

/** Addresses that a caller expects; null: none were named. Throws `invalid`. */
export function givenIps(texts: readonly string[] = []): Expected | null {
  const ips = texts.map((text) => {
    const ip = normalAddress(text.trim())
    if (ip !== null && !isForbiddenAddress(ip)) return ip
    throw new AppError(
      'invalid',
      `expectedCacheIps: ${JSON.stringify(text)} is not an address of a cache`,
    )
  })
  return ips.length === 0 ? null : { ips, source: 'request' }
}

/** Addresses that domains should resolve to. */
export async function expectedIps(
  parts: Parts,
  stack: StackSettings,
  { server }: Resolver,
): Promise<Expected> {
  const configured = await configuredIps(parts.config)
  if (configured !== null) return { ips: configured, source: 'config' }
  const answered = await verified(parts, server)
  if (answered.length > 0) return { ips: answered, source: 'dns' }
  const named = stackIps(stack)
  if (named.length > 0 && stack.source !== 'defaults') return { ips: named, source: stack.source }
  const near = [...stack.cacheAddresses, ...readGateways(), ...(await hostIps())]
  const beats = await parts.heartbeats.ofAll(near.filter(isPrivateAddress))
  const ips = [...beats].flatMap(([ip, { reachable }]) => (reachable ? [ip] : []))
  return { ips, source: ips.length > 0 ? 'detected' : 'none' }
}
