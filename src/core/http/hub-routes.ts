import { eq } from 'drizzle-orm'
import { Elysia } from 'elysia'
import type { StateDatabase } from '../../../db/state/open.ts'
import { session } from '../../../db/state/schema/access.ts'
import type { Core } from '../core.ts'
import { holderOf, type Caller } from '../caller.ts'
import type { Policy, RouteAccess } from './access.ts'
import { unavailable } from './errors.ts'
import type { LiveConnection, LiveHub, Listener, LiveSocket } from '../live/contract.ts'

/** The part of the server's socket that the hub needs. */
interface RawSocket {
  send(text: string): number
  getBufferedAmount(): number
  close(code?: number, reason?: string): void
  terminate(): void
}

const liveSocket = (raw: RawSocket): LiveSocket => ({
  send: (text) => raw.send(text),
  bufferedBytes: () => raw.getBufferedAmount(),
  close: (code, reason) => raw.close(code, reason),
  terminate: () => raw.terminate(),
})

interface HubRoute {
  path: string
  policy: Policy
  hub: LiveHub
  /** When the caller's right to be connected ends; null once it has. */
  expiresAt: (sessionId: string) => Date | null
}

/** A socket path: frames go to the hub, which decides what the caller receives. */
export const hubRoute = ({ access }: RouteAccess, { path, policy, hub, expiresAt }: HubRoute) => {
  const connections = new WeakMap<object, LiveConnection>()

  function listener(caller: Caller, address: string | null): Listener {
    const { sessionId } = caller
    if (sessionId === null) return { caller, address }
    return { caller, address, expiresAt: () => expiresAt(sessionId) }
  }

  return new Elysia({ name: `live${path}` }).use(access).ws(path, {
    access: policy,
    withAddress: true,
    beforeHandle({ caller, address }) {
      if (!hub.hasCapacity(holderOf(caller, address)))
        throw unavailable('Too many live connections; close a page or try again later')
    },
    open(ws) {
      // Elysia types an older socket without the buffered amount; Bun's has it.
      const raw = ws.raw as typeof ws.raw & RawSocket
      const { caller, address } = ws.data
      const connection = hub.accept(liveSocket(raw), listener(caller, address))
      if (connection !== null) connections.set(ws.raw, connection)
    },
    message(ws, message) {
      connections.get(ws.raw)?.receive(message)
    },
    drain(ws) {
      connections.get(ws.raw)?.drained()
    },
    close(ws) {
      connections.get(ws.raw)?.closed()
    },
  })
}

/** When a session ends; null when it is revoked or missing. */
function readSessionExpiry({ db }: StateDatabase, sessionId: string): Date | null {
  const row = db
    .select({ expiresAt: session.expiresAt, revokedAt: session.revokedAt })
    .from(session)
    .where(eq(session.id, sessionId))
    .get()
  return row === undefined || row.revokedAt !== null ? null : row.expiresAt
}

/** The live channel `/hubs/downloads`: JSON frames `{event, data}` to every session. */
export const hubRoutes = (deps: Core & RouteAccess) =>
  hubRoute(deps, {
    path: '/hubs/downloads',
    policy: 'session',
    hub: deps.hub,
    expiresAt: (sessionId) => readSessionExpiry(deps.state, sessionId),
  })
