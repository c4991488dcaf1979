/*
 * Nodes: Larder on other machines, beside their caches. A node opens one WebSocket to the service,
 * so it works through NAT and a reverse proxy, and the service needs no second port.
 *
 * An administrator names a node and gets a token (`token.ts`) that contains the service's public
 * key. The node pins that key, proves its own with the token, and the service pins it
 * (`handshake.ts`, `store.ts`). Everything after the two hellos is encrypted (`records.ts`), with or
 * without TLS. `link.ts` makes messages of records; `client.ts` is the node's end,
 * `socket-routes.ts` the service's.
 *
 * Without nodes nothing runs: there is no timer, and the socket's path answers 404.
 */
import type { Caller } from '../core/caller.ts'
import type { RouteAccess } from '../core/http/access.ts'
import type { RemoteAddress } from '../core/http/remote-address.ts'
import { nodeRoutes, type NodeChange } from './routes.ts'
import { NodeService, type NodesParts } from './service.ts'
import { nodeSocket } from './socket-routes.ts'

/** Parts of access, which is above this group. */
interface Control {
  address: RemoteAddress
  audit: {
    /** A node that joins has an address and no account. */
    note(event: NodeChange | 'NodeJoined', who: { actor?: Caller; address?: string | null }): void
  }
}

export function createNodesGroup(parts: Omit<NodesParts, 'noteJoined'> & { control: Control }) {
  const { address, audit } = parts.control
  const noteJoined = (from: string | null) => audit.note('NodeJoined', { address: from })
  const nodes = new NodeService({ ...parts, noteJoined })
  const note = (event: NodeChange, actor: Caller) => audit.note(event, { actor })
  return {
    nodes,
    start: () => nodes.start(),
    stop: () => nodes.stop(),
    routes: ({ access }: RouteAccess) => nodeRoutes({ access, nodes, note }),
    socket: (access: RouteAccess) => nodeSocket({ ...parts, address, nodes }, access),
  }
}

export type NodesGroup = ReturnType<typeof createNodesGroup>
