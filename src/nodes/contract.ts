import type { Channel } from '../core/lib/channel.ts'
import type { Logger } from '../core/lib/log.ts'
import type { Timers } from '../core/lib/timers.ts'

export const socketPath = '/api/ext/nodes/connect'

/** A node that has joined. */
export interface NodeIdentity {
  /** UUID; survives a new name. */
  id: string
  name: string
}

/**
 * `invited`: it has not joined yet. `refused`: its version does not fit that of the service.
 * `revoked`: its key is no longer accepted.
 */
export const nodeStates = ['invited', 'connected', 'away', 'refused', 'revoked'] as const
export type NodeState = (typeof nodeStates)[number]

/** Which side of a refused connection has to be updated. */
export const nodeRefusals = ['nodeTooOld', 'serviceTooOld'] as const
export type NodeRefusal = (typeof nodeRefusals)[number]

export interface NodeView extends NodeIdentity {
  state: NodeState
  since: Date
  /** Version of its program, as it said last. */
  version: string | null
  address: string | null
  /** Until when it can join with its token; null: there is no unused token. */
  tokenExpiresAt: Date | null
  refusal: NodeRefusal | null
}

/** Service side: the nodes that have joined. */
export interface Nodes {
  list(): NodeView[]
  /** Called for every connection of a node; a newer one replaces the older, which is closed first. */
  onConnect(listener: (node: NodeIdentity, channel: Channel) => void): void
  /** Called after a node was removed or revoked; its channel is closed by then. */
  onRemoved(listener: (id: string) => void): void
  /** Called after a node got another name. */
  onRenamed(listener: (node: NodeIdentity) => void): void
}

export interface ConnectNodeOptions {
  /** Keeps `security/node.json` (0600): the key pair, and the identity that the service gave. */
  dataPath: string
  /** `Node__Service`: address of the dashboard. */
  serviceUrl: string
  /** `Node__Token`: from the command that the dashboard shows; ignored once it was used. */
  token: string | null
  log: Logger
  timers?: Timers
  /** Called for every connection, which is the only one at its time. */
  onConnect: (node: NodeIdentity, channel: Channel) => void
}

/** Node side: keeps one connection to the service open, with growing delays after failures. */
export interface NodeConnection {
  /** Why there is no connection; null while there is one, and before the first attempt ends. */
  problem(): string | null
  stop(): void
}
