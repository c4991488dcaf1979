import type { Channel } from '../core/lib/channel.ts'
import type { Logger } from '../core/lib/log.ts'
import type { Timers } from '../core/lib/timers.ts'

/** A node that has joined. */
export interface NodeIdentity {
  /** UUID; survives a new name. */
  id: string
  name: string
}

/** `refused`: it asked to connect and may not, because its version is too old or too new. */
export type NodeState = 'connected' | 'away' | 'refused'

export interface NodeView extends NodeIdentity {
  state: NodeState
  /** When that state began; null: it never connected. */
  since: Date | null
  /** Version of its program, as it said last. */
  version: string | null
  address: string | null
  /** Why it was refused, with what to do. */
  refusal: string | null
}

/** Service side: the nodes that have joined. */
export interface Nodes {
  list(): NodeView[]
  /** Called for every connection of a node; a newer one replaces the older, which is closed first. */
  onConnect(listener: (node: NodeIdentity, channel: Channel) => void): void
  /** Called after a node was removed or revoked; its channel is closed by then. */
  onRemoved(listener: (id: string) => void): void
}

export interface ConnectNodeOptions {
  /** Holds `security/node.json` (0600): key pair, and the identity that the service gave. */
  dataPath: string
  /** `http(s)://host:port` of the service, with the path of a reverse proxy if there is one. */
  serviceUrl: string
  /** From the command that the dashboard shows; needed until the node has joined. */
  token: string | null
  /** Proposed when it joins; the service may call it otherwise. */
  name: string
  log: Logger
  timers?: Timers
  /** Called for every connection, which is the only one at its time. */
  onConnect(node: NodeIdentity, channel: Channel): void
}

/** Node side: keeps one connection to the service open, with growing delays after failures. */
export interface NodeConnection {
  /** Why the service refused the last attempt; null while connected, and before. */
  refusal(): string | null
  stop(): void
}

/** `connectNode` of `client.ts`. */
export type ConnectNode = (options: ConnectNodeOptions) => NodeConnection
