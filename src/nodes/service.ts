import { join } from 'node:path'
import type { Channel } from '../core/lib/channel.ts'
import type { Core } from '../core/core.ts'
import { keepSecret } from '../core/lib/secret-file.ts'
import { version } from '../core/lib/version.ts'
import type { NodeIdentity, NodeRefusal, Nodes, NodeView } from './contract.ts'
import { acceptNode, type ProvenNode, type Side, type Verdict } from './handshake.ts'
import { keyPairFrom, makePrivateKey, type KeyPair } from './identity.ts'
import type { Link, Wire } from './link.ts'
import { NodeStore, NotAdmitted, type NodeRecord } from './store.ts'
import { makeToken } from './token.ts'

/** What this group depends on. */
export interface NodesParts extends Pick<
  Core,
  'config' | 'state' | 'clock' | 'timers' | 'log' | 'hub'
> {
  /** Writes the audit entry for a node that joined, and where from. */
  noteJoined(address: string | null): void
}

/** An invitation; the token is shown once. */
export interface Invitation {
  node: NodeView
  token: string
}

interface Connected {
  link: Link
  since: Date
}

interface Refused {
  refusal: NodeRefusal
  since: Date
}

/** Refusals of strangers that are logged, so that they cannot fill the disk. */
const loggedMax = 20

const updateText = {
  nodeTooOld: 'update the node: `docker compose up -d --build`, or the newer checkout, on its data',
  serviceTooOld: 'update the service: `docker compose up -d --build`, or the newer checkout',
} as const satisfies Record<NodeRefusal, string>

/** Which nodes there are, and which are connected. */
export class NodeService implements Nodes {
  readonly #parts: NodesParts
  readonly #store
  readonly #connected = new Map<string, Connected>()
  readonly #refused = new Map<string, Refused>()
  readonly #connectListeners = new Set<(node: NodeIdentity, channel: Channel) => void>()
  readonly #removedListeners = new Set<(id: string) => void>()
  readonly #renamedListeners = new Set<(node: NodeIdentity) => void>()
  readonly #log
  /** Since then the nodes are away that were connected when the last process was killed. */
  readonly #begunAt
  #keys: KeyPair | null = null
  #isStopped = false
  #logged = 0

  constructor(parts: NodesParts) {
    this.#parts = parts
    this.#store = new NodeStore(parts)
    this.#log = parts.log.child({ part: 'nodes' })
    this.#begunAt = parts.clock.now()
  }

  start(): void {
    this.#store.markAway()
  }

  stop(): void {
    this.#isStopped = true
    for (const { link } of this.#connected.values()) link.close('the service stops')
  }

  /** Without nodes there is nothing that could connect. */
  isUsed(): boolean {
    return !this.#isStopped && !this.#store.isEmpty()
  }

  list(): NodeView[] {
    return this.#store.all().map((record) => this.#viewOf(record))
  }

  onConnect(listener: (node: NodeIdentity, channel: Channel) => void): void {
    this.#connectListeners.add(listener)
  }

  onRemoved(listener: (id: string) => void): void {
    this.#removedListeners.add(listener)
  }

  onRenamed(listener: (node: NodeIdentity) => void): void {
    this.#renamedListeners.add(listener)
  }

  invite(name: string): Invitation {
    const token = this.#newToken()
    return this.#invited(this.#store.add(name, token), token)
  }

  inviteAgain(id: string): Invitation {
    const token = this.#newToken()
    return this.#invited(this.#store.invite(id, token), token)
  }

  rename(id: string, name: string): void {
    this.#store.rename(id, name)
    for (const listener of this.#renamedListeners) listener({ id, name })
    this.#changed()
  }

  revoke(id: string): void {
    this.#store.revoke(id)
    this.#drop(id, 'The node was revoked')
  }

  remove(id: string): void {
    this.#store.remove(id)
    this.#drop(id, 'The node was removed')
  }

  /** A socket that was just opened; `onProven` is called when its node may stay. */
  accept(wire: Wire, address: string | null, onProven: () => void): Side {
    return acceptNode({
      wire,
      timers: this.#parts.timers,
      log: this.#log,
      keys: this.#keyPair(),
      judge: (node) => this.#judge(node, address),
      connected: (node, link) => {
        onProven()
        this.#connect(this.#store.ofKey(node.publicKey), link)
      },
    })
  }

  #judge({ publicKey, token, refusal, ...node }: ProvenNode, address: string | null): Verdict {
    try {
      const invited = token === null ? null : this.#store.ofToken(token)
      const { id, name } = invited ?? this.#known(publicKey, token)
      const facts = { node: name, version: node.version, address }
      this.#store.change(id, { version: node.version, address })
      if (refusal !== null) {
        const refused = `The node is Larder ${node.version}, the service ${version}; ${updateText[refusal]}`
        this.#noteRefused(id, refusal, () => this.#log.warn(facts, refused))
        return { refused }
      }
      if (invited !== null) {
        for (const other of this.#store.join(id, publicKey)) this.#drop(other, 'It joined anew')
        this.#log.info(facts, 'a node joined')
        this.#parts.noteJoined(address)
      }
      return { id, name }
    } catch (error) {
      if (!(error instanceof NotAdmitted)) throw error
      if (this.#logged++ < loggedMax) {
        this.#log.warn({ address }, `a node was refused: ${error.message}`)
      }
      return { refused: error.message }
    }
  }

  /** It asks again and again: only the first time counts. */
  #noteRefused(id: string, refusal: NodeRefusal, report: () => void): void {
    if (this.#refused.get(id)?.refusal === refusal) return
    this.#refused.set(id, { refusal, since: this.#parts.clock.now() })
    this.#changed()
    report()
  }

  /** A token that was used already does not matter to the node that used it. */
  #known(publicKey: string, token: string | null): NodeRecord {
    try {
      return this.#store.ofKey(publicKey)
    } catch (error) {
      if (token === null) throw error
      throw new NotAdmitted(
        'The token was used, has expired or is unknown; create another on the page Nodes',
      )
    }
  }

  #connect({ id, name }: NodeRecord, link: Link): void {
    this.#connected.get(id)?.link.close('The node has connected anew')
    this.#refused.delete(id)
    this.#connected.set(id, { link, since: this.#parts.clock.now() })
    this.#store.change(id, { awaySince: null })
    link.onEnd = (reason) => this.#disconnected(id, link, reason)
    this.#log.info({ node: name }, 'node connected')
    this.#changed()
    for (const listener of this.#connectListeners) listener({ id, name }, link)
  }

  #disconnected(id: string, link: Link, reason: string): void {
    if (this.#connected.get(id)?.link !== link) return
    this.#connected.delete(id)
    this.#store.change(id, { awaySince: this.#parts.clock.now() })
    this.#log.warn({ node: id, reason }, 'node disconnected')
    this.#changed()
  }

  #drop(id: string, reason: string): void {
    this.#connected.get(id)?.link.close(reason)
    this.#refused.delete(id)
    this.#changed()
    for (const listener of this.#removedListeners) listener(id)
  }

  #viewOf(record: NodeRecord): NodeView {
    const { id, name, createdAt, awaySince, revokedAt, publicKey, version, address } = record
    const view = {
      id,
      name,
      version,
      address,
      tokenExpiresAt: record.tokenExpiresAt,
      refusal: null,
    }
    const connected = this.#connected.get(id)
    if (connected !== undefined) return { ...view, state: 'connected', since: connected.since }
    if (revokedAt !== null) return { ...view, state: 'revoked', since: revokedAt }
    const refused = this.#refused.get(id)
    if (refused !== undefined) return { ...view, state: 'refused', ...refused }
    if (publicKey === null) return { ...view, state: 'invited', since: createdAt }
    return { ...view, state: 'away', since: awaySince ?? this.#begunAt }
  }

  #invited(record: NodeRecord, token: string): Invitation {
    this.#changed()
    return { node: this.#viewOf(record), token }
  }

  #changed(): void {
    this.#parts.hub.publish('NodesChanged', null)
  }

  #newToken(): string {
    return makeToken(this.#keyPair().publicKey)
  }

  /** Made when first needed; a part of snapshots, so that nodes find a restored service again. */
  #keyPair(): KeyPair {
    const path = join(this.#parts.config.dataPath, 'security', 'nodes.key')
    return (this.#keys ??= keyPairFrom(keepSecret(path, makePrivateKey).secret))
  }
}
