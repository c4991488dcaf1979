import { Type } from '@sinclair/typebox'
import type { Outside } from '../../../core/lib/outside.ts'
import { askJson } from '../../../core/lib/outside-json.ts'

const timeoutMs = 15_000
/** Servers that a run uses, the least loaded ones; Steam names some twenty. */
const serversMax = 40
/** A run asks for every game; the list is asked for again after this. */
const freshMs = 10 * 60_000
const kinds = ['SteamCache', 'CDN']

const ServerList = Type.Object({
  response: Type.Object({
    servers: Type.Array(
      Type.Object({
        type: Type.String(),
        host: Type.String({ maxLength: 300 }),
        weighted_load: Type.Optional(Type.Number()),
        https_support: Type.Optional(Type.String()),
        allowed_app_ids: Type.Optional(Type.Array(Type.Number())),
      }),
      { maxItems: 1000 },
    ),
  }),
})

/** A server of manifests and chunks. */
export interface ContentServer {
  host: string
  /** Plain HTTP, where the server allows it: that also works where the cache answers for it. */
  baseUrl: string
}

async function askServers(
  outside: Outside,
  { webApiBaseUrl, cellId }: { webApiBaseUrl: string; cellId: number },
  signal: AbortSignal,
): Promise<ContentServer[]> {
  const path = '/IContentServerDirectoryService/GetServersForSteamPipe/v1/'
  const url = `${webApiBaseUrl}${path}?cell_id=${cellId}`
  const { value } = await askJson(outside, { url, timeoutMs, signal }, ServerList)
  const usable = (value?.response.servers ?? [])
    .filter(({ type, allowed_app_ids: apps = [] }) => kinds.includes(type) && apps.length === 0)
    .toSorted((one, other) => (one.weighted_load ?? 0) - (other.weighted_load ?? 0))
  const servers = new Map(
    usable.map(({ host, https_support: support }) => {
      const scheme = support === 'mandatory' ? 'https' : 'http'
      return [host, { host, baseUrl: `${scheme}://${host}` }]
    }),
  )
  if (servers.size === 0) throw new Error('Steam names no content servers')
  return [...servers.values()].slice(0, serversMax)
}

/** Steam's content servers for everyone, the least loaded first. Rejects when there is none. */
export function createContentServers(outside: Outside, webApiBaseUrl: string) {
  let known: { cellId: number; untilMs: number; servers: ContentServer[] } | null = null
  return async (cellId: number, signal: AbortSignal): Promise<ContentServer[]> => {
    if (known?.cellId === cellId && known.untilMs > performance.now()) return known.servers
    const servers = await askServers(outside, { webApiBaseUrl, cellId }, signal)
    known = { cellId, untilMs: performance.now() + freshMs, servers }
    return servers
  }
}

/** The content servers of one depot, the preferred one first. */
export interface DepotServers {
  readonly hosts: readonly string[]
  /** The server does not have the depot. */
  refuse: (host: string) => void
}

export function depotServers(servers: readonly ContentServer[]): DepotServers {
  const depot = {
    hosts: servers.map(({ host }) => host),
    refuse(refused: string) {
      depot.hosts = depot.hosts.filter((host) => host !== refused)
    },
  }
  return depot
}
