import { added } from '../../core/lib/added.ts'
import type { ServerAddress } from '../../core/lib/cache-network.ts'
import type { CacheEngine } from '../cache/cache-engine.ts'
import { EngineAway } from '../host.ts'
import type { DiskEngine } from '../disk/facade.ts'
import type { LogScan } from '../log-scan/contract.ts'
import type { LogEngine } from '../logs/contract.ts'
import type { ProxyControl } from '../proxy/contract.ts'

/** A node as the joined engines see it. Its engines fail while it is away. */
export interface NodeHost {
  readonly name: string
  /** In the history, and in ids of contents; from 1 on. */
  readonly slot: number
  readonly disk: DiskEngine
  readonly logScan: LogScan
  readonly cache: CacheEngine
  readonly logs: LogEngine
  readonly proxy: ProxyControl
  /** Null: it is connected. */
  awaySince(): Date | null
  /** Names of its datasources. */
  datasources(): readonly string[]
  /** Where its cache answers; null: not known. */
  cacheAddress(): ServerAddress | null
}

/** The nodes that have joined and told their datasources. */
export interface NodeHosts {
  all(): readonly NodeHost[]
  /** Called for every node that there is or will be. */
  onHost(listener: (host: NodeHost) => void): void
  /** Called after a node was connected, and after it went away. */
  onChange(listener: (host: NodeHost) => void): void
}

export const isHere = (host: NodeHost): boolean => host.awaySince() === null

export const awayText = (host: NodeHost): string =>
  `The node ${host.name} is away since ${host.awaySince()?.toISOString() ?? 'now'}`

/** The node of a datasource; null: it is on this machine. */
export const hostOf = (hosts: NodeHosts, datasource: string): NodeHost | null =>
  hosts.all().find((host) => host.datasources().includes(datasource)) ?? null

export function awayNodes(hosts: Pick<NodeHosts, 'all'>): AwayNode[] {
  const away = hosts.all().filter((host) => !isHere(host) && host.datasources().length > 0)
  return away.map(leftNode)
}

/** A node that is away, or was while a job ran. */
export const leftNode = (host: NodeHost) => ({
  node: host.name,
  slot: host.slot,
  datasources: host.datasources(),
  since: host.awaySince() ?? new Date(),
  /** The same as a sentence. */
  text: awayText(host),
})
/** A node that is away, with the datasources that figures and jobs lack. */
export type AwayNode = ReturnType<typeof leftNode>

/** Why a datasource of a node cannot be reached; null: it can, or is on this machine. */
export function awayTextOf(hosts: NodeHosts, datasource: string): string | null {
  const host = hostOf(hosts, datasource)
  return host === null || isHere(host) ? null : awayText(host)
}

/** An engine of this machine together with those of the nodes. */
export class Machines<Kind extends 'cache' | 'logs'> {
  readonly local: NodeHost[Kind]
  readonly hosts: NodeHosts
  readonly #kind: Kind

  constructor(kind: Kind, local: NodeHost[Kind], hosts: NodeHosts) {
    this.#kind = kind
    this.local = local
    this.hosts = hosts
  }

  /** The nodes that are connected. */
  here(): NodeHost[] {
    return this.hosts.all().filter(isHere)
  }

  others(): NodeHost[Kind][] {
    return this.here().map((host) => host[this.#kind])
  }

  all(): NodeHost[Kind][] {
    return [this.local, ...this.others()]
  }

  /** The node of a datasource; null: it is on this machine. */
  hostOf(datasource: string): NodeHost | null {
    return hostOf(this.hosts, datasource)
  }

  /** The engine of a datasource. Throws EngineAway while its node is away. */
  of(datasource: string): NodeHost[Kind] {
    const host = this.hostOf(datasource)
    if (host === null) return this.local
    if (!isHere(host)) throw new EngineAway(awayText(host))
    return host[this.#kind]
  }

  /** Reads a list of all machines; the rows of a node that is away are those of its last answer. */
  lists<Row>(
    ask: (engine: NodeHost[Kind]) => Promise<Row[]>,
    away: (row: Row, text: string) => Row,
  ): () => Promise<Row[]> {
    const last = new Map<number, Row[]>()
    const listOf = async (host: NodeHost): Promise<Row[]> => {
      const rows = isHere(host) ? await ask(host[this.#kind]).catch(() => null) : null
      if (rows === null) return (last.get(host.slot) ?? []).map((row) => away(row, awayText(host)))
      last.set(host.slot, rows)
      return rows
    }
    return async () => {
      const others = this.hosts.all().map(listOf)
      return [...(await ask(this.local)), ...(await Promise.all(others)).flat()]
    }
  }

  /** The engine of a slot; undefined: the node was removed. */
  ofSlot(slot: number): NodeHost[Kind] | undefined {
    if (slot === 0) return this.local
    return this.hosts.all().find((host) => host.slot === slot)?.[this.#kind]
  }
}

/** Reports of parts that run beside one another, each with the sums of the last one of every part. */
export function summed<Report extends object>(
  progress: (sum: Report) => void,
): () => (report: Report) => void {
  const reports = new Map<number, Report>()
  let parts = 0
  return () => {
    const part = parts++
    return (report) => {
      reports.set(part, report)
      progress([...reports.values()].reduce(added))
    }
  }
}

/**
 * Folders of a node are known here as `<name>:/<path>`: no part of the service can take one for a
 * folder of this machine.
 */
export const shownPath = (node: string, path: string): string => `${node}:${path}`

/** Whether a path is one of a node's. */
export const isOfNode = (path: string): boolean => !path.startsWith('/')

/** A path as its own machine knows it. */
export const pathThere = (path: string): string => path.replace(/^[^/]*:(?=\/)/, '')

/** The node of a path and the path there; null: it is on this machine. */
export function placeOf(hosts: NodeHosts, path: string): { host: NodeHost; path: string } | null {
  if (!isOfNode(path)) return null
  const host = hosts.all().find(({ name }) => path.startsWith(`${name}:/`))
  return host === undefined ? null : { host, path: path.slice(host.name.length + 1) }
}
