/*
 * Datasources of nodes. A node that has connected sends its datasources; they are listed with those
 * of this machine, whose folders they are not: see `shownPath`. A name that another datasource has is
 * refused, because rows, findings and sizes belong to names. While a node is away its datasources
 * stay; they go with the node.
 */
import { Type, type Static } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { Config, DatasourceConfig } from '../../core/config.ts'
import type { Channel } from '../../core/lib/channel.ts'
import type { Clock } from '../../core/lib/clock.ts'
import type { ServerAddress } from '../../core/lib/cache-network.ts'
import type { LiveHub } from '../../core/live/contract.ts'
import { errorText } from '../../core/lib/error-text.ts'
import type { Logger } from '../../core/lib/log.ts'
import { Nullable, stringUnion } from '../../core/lib/schema.ts'
import type { Settings } from '../../core/settings/settings.ts'
import { createCacheEngine } from '../../engines/cache/facade.ts'
import type { CacheRoot } from '../../engines/cache/contract.ts'
import { createDiskEngine } from '../../engines/disk/facade.ts'
import { createLogScan } from '../../engines/log-scan/facade.ts'
import type { LogEngine } from '../../engines/logs/contract.ts'
import { createRemoteLogEngine } from '../../engines/logs/facade.ts'
import { createRemoteProxy } from '../../engines/proxy/joined.ts'
import { checkedCall } from '../../engines/remote/history-calls.ts'
import { shownPath, type NodeHost, type NodeHosts } from '../../engines/remote/hosts.ts'
import { isRecord } from '../../core/lib/record.ts'
import { NodePeer } from '../../engines/remote/peer.ts'
import type { HistoryPart } from '../../engines/shipper/link.ts'
import { downloadIdStep } from '../../engines/shipper/contract.ts'
import type { NodeIdentity, Nodes } from '../../nodes/contract.ts'

/** A datasource as its node configures it. */
const Source = Type.Object({
  name: Type.String({ pattern: '^[A-Za-z0-9._-]{1,100}$' }),
  logPath: Type.String({ pattern: '^/', maxLength: 4096 }),
  cachePath: Type.String({ pattern: '^/', maxLength: 4096 }),
  schemeOverride: stringUnion(['auto', 'monolithic', 'bare_metal']),
  sliceBytes: Type.Optional(Nullable(Type.Integer({ minimum: 0 }))),
})
const Sources = Type.Array(Source, { maxItems: 100 })
/** Where the cache of a node answers; nodes of the version before send none. */
const CacheAddress = Nullable(
  Type.Object({
    host: Type.String({ pattern: '^[A-Za-z0-9._:-]{1,255}$' }),
    port: Type.Integer({ minimum: 1, maximum: 65_535 }),
  }),
)

/** The latest ones; older names have no rows that wait. */
const formerMax = 100

/** What is known of a node that has connected once; its slot is never given to another one. */
export const NodePlaces = Type.Record(
  Type.String(),
  Type.Object({
    slot: Type.Integer({ minimum: 1, maximum: downloadIdStep - 1 }),
    name: Type.String(),
    sources: Sources,
    cacheAddress: Type.Optional(CacheAddress),
    /** Names that its datasources had before. */
    former: Type.Optional(Type.Array(Type.String(), { maxItems: formerMax })),
  }),
)
type Places = Static<typeof NodePlaces>

interface Parts {
  /** Its list of datasources gets those of nodes as well. */
  config: Config
  settings: Settings
  log: Logger
  clock: Clock
  hub: Pick<LiveHub, 'publish'>
  /** The trees of a node's caches, by the names of its datasources. */
  roots: (datasources: readonly string[]) => Promise<CacheRoot[]>
}

/** What a node says about its caches. */
interface Sent {
  sources: unknown
  cacheAddress: unknown
}

class Host implements NodeHost {
  readonly slot: number
  name: string
  sources: DatasourceConfig[] = []
  declared: ServerAddress | null = null
  /** Names of datasources that it lists no longer; rows of them may still wait there. */
  former: string[] = []
  /** From which the node connected. */
  address: string | null = null
  since: Date | null
  readonly peer: NodePeer
  readonly disk
  readonly logScan
  readonly cache
  readonly logs
  readonly proxy

  constructor(
    { slot, name, since }: { slot: number; name: string; since: Date },
    { config, log, clock, roots }: Parts,
  ) {
    this.slot = slot
    this.name = name
    this.since = since
    const peer = new NodePeer(name)
    this.peer = peer
    this.disk = createDiskEngine({ log, clock, launch: peer.launch('disk') })
    this.logScan = createLogScan(log, { launch: (engine) => peer.launch(engine) })
    this.cache = createCacheEngine({
      dataPath: '',
      log,
      roots: () => roots(this.datasources()),
      launch: peer.launch('cache'),
    })
    this.logs = createRemoteLogEngine(config, log, peer.launch('logs'))
    this.proxy = createRemoteProxy(log, peer.launch('proxy'))
  }

  rename(name: string): void {
    this.name = name
    this.peer.name = name
  }

  awaySince = (): Date | null => this.since
  datasources = (): string[] => this.sources.map(({ name }) => name)
  cacheAddress = (): ServerAddress | null =>
    this.declared ?? (this.address === null ? null : { host: this.address, port: 80 })
}

const nameOf = ({ name }: DatasourceConfig): string => name.toLowerCase()

/** Nodes and their engines; `attach` begins to listen to them. */
export class NodeRegistry implements NodeHosts {
  readonly #parts: Parts
  /** Of this machine. */
  readonly #own: readonly DatasourceConfig[]
  readonly #hosts = new Map<string, Host>()
  readonly #hostListeners = new Set<(host: NodeHost) => void>()
  readonly #changeListeners = new Set<(host: NodeHost) => void>()

  constructor(parts: Parts) {
    this.#parts = parts
    this.#own = [...parts.config.datasources]
  }

  all(): Host[] {
    return [...this.#hosts.values()].toSorted((a, b) => a.slot - b.slot)
  }

  onHost(listener: (host: NodeHost) => void): void {
    this.#hostListeners.add(listener)
    for (const host of this.all()) listener(host)
  }

  onChange(listener: (host: NodeHost) => void): void {
    this.#changeListeners.add(listener)
  }

  /** Lists the datasources of known nodes, and connects those that come. */
  attach(nodes: Nodes, logs: LogEngine): void {
    for (const { id, name, since, address } of nodes.list()) {
      const place = this.#places()[id]
      if (place === undefined) continue
      const { slot, sources, cacheAddress: declared = null, former = [] } = place
      Object.assign(this.#hostFor(id, { slot, name, since }), {
        sources,
        declared,
        former,
        address,
      })
    }
    this.#showSources()
    nodes.onConnect((node, channel) => {
      const address = nodes.list().find(({ id }) => id === node.id)?.address ?? null
      this.#connected({ ...node, address }, channel, logs)
    })
    nodes.onRemoved((id) => this.#removed(id))
    nodes.onRenamed((node) => this.#renamed(node))
  }

  #places(): Places {
    return this.#parts.settings.get('nodes.places')
  }

  #keepPlace(
    id: string,
    { slot, name, declared, former }: Host,
    sources: DatasourceConfig[],
  ): void {
    const place = { slot, name, sources, cacheAddress: declared, former }
    const places = { ...this.#places(), [id]: place }
    this.#parts.settings.set('nodes.places', places)
  }

  #showSources(): void {
    const theirs = this.all().flatMap(({ name, sources }) =>
      sources.map((source) => ({
        ...source,
        logPath: shownPath(name, source.logPath),
        cachePath: shownPath(name, source.cachePath),
      })),
    )
    this.#parts.config.datasources.splice(0, Infinity, ...this.#own, ...theirs)
  }

  #changed(host: Host): void {
    for (const listener of this.#changeListeners) listener(host)
    this.#parts.hub.publish('NodesChanged', null)
  }

  #hostFor(id: string, { slot, name, since }: { slot: number; name: string; since: Date }): Host {
    const known = this.#hosts.get(id)
    if (known !== undefined) return known
    const host = new Host({ slot, name, since }, this.#parts)
    this.#hosts.set(id, host)
    for (const listener of this.#hostListeners) listener(host)
    return host
  }

  /** The slot that the node has or gets; null: all are given. */
  #slotOf(id: string): number | null {
    const known = this.#places()
    if (known[id] !== undefined) return known[id].slot
    const next = Math.max(0, ...Object.values(known).map(({ slot }) => slot)) + 1
    return next < downloadIdStep ? next : null
  }

  /** Why the node's datasources cannot be listed; null when they can. */
  #conflictOf(host: Host, sources: readonly DatasourceConfig[]): string | null {
    const others = this.all().filter((other) => other !== host)
    const taken = [...this.#own, ...others.flatMap((other) => other.sources)]
    const names = new Set(taken.map(({ name }) => name.toLowerCase()))
    const double = sources.find(({ name }) => {
      const isTaken = names.has(name.toLowerCase())
      names.add(name.toLowerCase())
      return isTaken
    })
    if (double === undefined) return null
    return (
      `the service has a datasource ${double.name} already; ` +
      'give the one of this node another name in LanCache__DataSources__0__Name'
    )
  }

  #connected(
    { id, name, address }: NodeIdentity & { address: string | null },
    channel: Channel,
    logs: LogEngine,
  ): void {
    const slot = this.#slotOf(id)
    if (slot === null) return channel.close('the service has no place for another node')
    const host = this.#hostFor(id, { slot, name, since: new Date() })
    host.address = address
    if (this.#places()[id] === undefined) this.#keepPlace(id, host, [])
    host.peer.connected(channel)
    const received = (message: unknown) => {
      if (host.peer.received(message) || !isRecord(message)) return
      const { kind, id: call } = message
      if (kind === 'sources') {
        const { sources, cacheAddress = null } = message
        this.#listed(host, { id, channel, sources, cacheAddress }).catch((error: unknown) =>
          channel.close(errorText(error)),
        )
      }
      if (kind === 'history' && Number.isSafeInteger(call)) {
        const part = { slot: host.slot, datasources: this.#writable(host) }
        void answerHistory(logs, part, { id: Number(call), call: message['call'], channel })
      }
    }
    channel.onMessage = (message) => {
      try {
        received(message)
      } catch (error) {
        // It is not what a node of any version sends.
        channel.close(errorText(error))
      }
    }
    channel.onClose = (reason) => this.#lost(host, reason)
    channel.send({ kind: 'welcome', slot })
  }

  async #listed(
    host: Host,
    { id, sources, cacheAddress, channel }: Sent & { id: string; channel: Channel },
  ): Promise<void> {
    const { log } = this.#parts
    if (!Value.Check(Sources, sources) || !Value.Check(CacheAddress, cacheAddress)) {
      return channel.close('the datasources cannot be read')
    }
    const conflict = this.#conflictOf(host, sources)
    if (conflict !== null) {
      log.warn({ node: host.name, conflict }, 'the datasources of a node were refused')
      return channel.close(conflict)
    }
    this.#keepFormer(host, sources)
    Object.assign(host, { sources, declared: cacheAddress })
    this.#keepPlace(id, host, sources)
    this.#showSources()
    await host.logs.start()
    if (!host.peer.isConnected) return
    host.cache.start()
    host.since = null
    log.info({ node: host.name, datasources: host.datasources() }, 'datasources of a node are here')
    this.#changed(host)
  }

  /** Rows that were counted under a name stay under it, also those that wait on the node. */
  #keepFormer(host: Host, sources: readonly DatasourceConfig[]): void {
    const listed = new Set(sources.map(({ name }) => name))
    const gone = host.datasources().filter((name) => !listed.has(name))
    const former = [...gone, ...host.former].filter((name) => !listed.has(name))
    host.former = [...new Set(former)].slice(0, formerMax)
    if (gone.length === 0) return
    const { log } = this.#parts
    log.warn(
      { node: host.name, gone },
      'a node lists datasources no longer; their rows keep the name',
    )
  }

  /** Names under which the node may write: its own, and former ones that no other machine has. */
  #writable(host: Host): string[] {
    const others = this.all().filter((other) => other !== host)
    const taken = new Set([...this.#own, ...others.flatMap(({ sources }) => sources)].map(nameOf))
    return [...host.datasources(), ...host.former.filter((name) => !taken.has(name.toLowerCase()))]
  }

  #lost(host: Host, reason: string): void {
    host.peer.disconnected(reason)
    host.since ??= new Date()
    void host.logs.stop()
    void host.cache.stop()
    this.#changed(host)
  }

  /** Folders of the node have its name in front. */
  #renamed({ id, name }: NodeIdentity): void {
    const host = this.#hosts.get(id)
    if (host === undefined) return
    host.rename(name)
    this.#keepPlace(id, host, host.sources)
    this.#showSources()
    this.#changed(host)
  }

  #removed(id: string): void {
    const host = this.#hosts.get(id)
    if (host === undefined) return
    this.#hosts.delete(id)
    this.#keepPlace(id, host, [])
    this.#showSources()
    this.#changed(host)
  }
}

/** Carries out a call of a node in the history, as far as it concerns the node's own rows. */
async function answerHistory(
  logs: LogEngine,
  part: HistoryPart & { datasources: string[] },
  { id, call, channel }: { id: number; call: unknown; channel: Channel },
): Promise<void> {
  const checked = checkedCall(call, part)
  try {
    const answer =
      'refused' in checked ? checked.refused : await logs.historyForNode(part, checked.call)
    channel.send({ kind: 'history', id, answer })
  } catch (error) {
    // The node connects again, and asks again.
    channel.close(errorText(error))
  }
}
