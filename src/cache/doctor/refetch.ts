/*
 * Fetching again cannot be pointed elsewhere. The connection goes to the address that answered
 * with the proxy's heartbeat right before; the host name has to be one under which clients asked
 * for objects of the same tag; redirects are not followed. Our user agent is appended to that of
 * Steam, so the proxy makes the same keys and the log engine recognises the lines as ours.
 */
import type { Fetched } from './model.ts'
import http from 'node:http'
import type { CacheParts } from '../parts.ts'
import { serviceOfKeyTag } from '../../engines/cache/format/key-scheme.ts'
import { AppError, unavailable } from '../../core/http/errors.ts'
import type { NamedObject } from './object-name.ts'
import { probeAgent, type ProxyAddress } from '../../core/lib/heartbeat.ts'
import { serverAddressText } from '../../core/lib/cache-network.ts'
import { addressesOf, findProxy, firstThatAnswers, isNear } from '../../core/lib/find-cache.ts'
import { hostOf, type NodeHost } from '../../engines/remote/hosts.ts'
import { tailOf } from './suspects.ts'

/** Bytes fetched of one object; the fetch stops beyond. */
export const fetchBytesMax = 4 * 1024 ** 3
/** Time limit for one object, and longest time without data; milliseconds. */
const fetchMs = 200_000
const idleMs = 30_000
/** Seconds that the caller's connection is kept open meanwhile. */
export const refetchSeconds = 240
/** Objects fetched concurrently. */
const fetchesMax = 2
/** How far back logs are searched for host names, seconds. */
const hostsSeconds = 30 * 86_400
/** Makes the stock proxy store a request under `steam`, whatever its host. */
const alphaAgent = 'Valve/Steam HTTP Client 1.0'
const alphaTag = 'steam'
const hostPattern = /^[a-z0-9]([a-z0-9._-]{0,251}[a-z0-9])?$/

/** Why a fetch was aborted. */
export const fetchProblems = {
  brokeOff: 'the response ended early',
  connectionLost: 'the connection was lost',
  silent: `nothing came for ${idleMs / 1000} s`,
  tooLarge: 'the object is larger than the fetch limit',
  tooSlow: `it took longer than ${fetchMs / 1000} s`,
} as const
type FetchProblem = keyof typeof fetchProblems

const agentFor = (tag: string): string =>
  tag === alphaTag ? `${alphaAgent} ${probeAgent}` : probeAgent

/**
 * The host name to request: one under which objects of this tag were requested before, so that the
 * proxy cannot be made to fetch from anywhere else. Throws `invalid`.
 */
export async function hostFor(deps: CacheParts, object: NamedObject): Promise<string> {
  const facts = await deps.datasources.facts(object.datasource)
  const toS = Math.floor(deps.clock.now().getTime() / 1000)
  const time = { timeZone: deps.config.timeZone, fromS: toS - hostsSeconds, toS }
  const { tag, target } = object
  const { hosts, objectHost } = await deps.logScan.hosts({
    ...tailOf(facts, time),
    // Logs of a per-host proxy name the service; its keys have their own tag.
    tag: facts.scheme === 'bare_metal' ? serviceOfKeyTag(tag) : tag,
    path: target,
  })
  const known = hosts.map(({ host }) => host).filter((host) => hostPattern.test(host))
  if (object.host !== null) {
    if (known.includes(object.host)) return object.host
    throw new AppError(
      'invalid',
      `url: no request to ${object.host} for objects of ${tag} was logged recently`,
    )
  }
  const host = objectHost !== null && known.includes(objectHost) ? objectHost : known[0]
  if (host !== undefined) return host
  throw new AppError(
    'invalid',
    `url: give the full address: no request for objects of ${tag} was logged recently`,
  )
}

async function requireProxyOf(node: NodeHost): Promise<ProxyAddress> {
  const place = node.cacheAddress()
  const near = place === null ? [] : (await addressesOf(place.host)).filter(isNear)
  const proxy = await firstThatAnswers(near, place?.port ?? 80)
  if (proxy !== null) return proxy
  const at = place === null ? '' : ` at ${serverAddressText(place)}`
  const text = `The cache of the node ${node.name} did not answer with its heartbeat${at}`
  throw unavailable(`${text}; set Node__CacheAddress on the node`, 10)
}

/** The verified proxy of a datasource. Throws `unavailable`. */
export async function requireProxy(
  { config, nodeHosts }: CacheParts,
  datasource: string,
): Promise<ProxyAddress> {
  const node = hostOf(nodeHosts, datasource)
  if (node !== null) return requireProxyOf(node)
  const proxy = await findProxy(config.doctor.proxy)
  if (proxy !== null) return proxy
  const place = config.doctor.proxy
  throw unavailable(
    place === null
      ? 'No cache answered with its heartbeat; set Doctor__ProxyAddress'
      : 'The cache at Doctor__ProxyAddress did not answer with its heartbeat',
    10,
  )
}

let fetches = 0

/** Fetches an object, or a byte range of it, through the cache. Throws `tooMany`. */
export async function fetchThrough(
  proxy: ProxyAddress,
  object: { tag: string; target: string; host: string },
  range: { first: number; last: number } | null,
): Promise<Fetched> {
  if (fetches >= fetchesMax)
    throw new AppError('tooMany', 'Too many objects are being fetched; try again later')
  fetches++
  try {
    return await fetchOnce(proxy, object, range)
  } finally {
    fetches--
  }
}

const numberOf = (text: string | undefined): number | null =>
  text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : null

function fetchOnce(
  proxy: ProxyAddress,
  { tag, target, host }: { tag: string; target: string; host: string },
  range: { first: number; last: number } | null,
): Promise<Fetched> {
  const fetched: Fetched = {
    status: 0,
    bytes: 0,
    expectedBytes: null,
    isWhole: false,
    cacheStatus: null,
    problem: null,
    problemKey: null,
  }
  const headers: Record<string, string> = { host, 'user-agent': agentFor(tag) }
  if (range !== null) headers['range'] = `bytes=${range.first}-${range.last}`
  return new Promise((resolve) => {
    // Connects to the verified proxy, never to the host; redirects are not followed.
    const to = { host: proxy.host, port: proxy.port, path: asciiTarget(target), method: 'GET' }
    const request = http.request({ ...to, headers, agent: false, timeout: idleMs })
    const limit = setTimeout(() => giveUp('tooSlow'), fetchMs)
    function note(problem: FetchProblem): void {
      fetched.problemKey ??= problem
      fetched.problem ??= fetchProblems[problem]
    }
    function giveUp(problem: FetchProblem): void {
      note(problem)
      request.destroy()
    }
    request.on('timeout', () => giveUp('silent'))
    request.on('error', () => giveUp('connectionLost'))
    request.on('response', (response) => {
      fetched.status = response.statusCode ?? 0
      fetched.expectedBytes = numberOf(response.headers['content-length'])
      const state = response.headers['x-upstream-cache-status']
      fetched.cacheStatus = typeof state === 'string' ? state.slice(0, 20) : null
      response.on('data', (block: Buffer) => {
        fetched.bytes += block.length
        if (fetched.bytes > fetchBytesMax) giveUp('tooLarge')
      })
      response.on('error', () => giveUp('brokeOff'))
      response.on('end', () => {
        const { expectedBytes, bytes } = fetched
        fetched.isWhole = expectedBytes === null || expectedBytes === bytes
        if (!fetched.isWhole) note('brokeOff')
      })
    })
    request.on('close', () => {
      clearTimeout(limit)
      resolve(fetched)
    })
    request.end()
  })
}

/** A request line may contain printable ASCII only. */
const asciiTarget = (target: string): string =>
  target.replaceAll(/[^\u0021-\u007e]/gu, (letter) => encodeURIComponent(letter))
