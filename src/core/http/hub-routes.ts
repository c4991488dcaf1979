import { Elysia } from 'elysia'
import type { Core } from '../core.ts'
import type { Caller } from '../caller.ts'
import type { RouteAccess } from './access.ts'
import { unavailable } from './errors.ts'
import type { LiveConnection, Listener, LiveSocket } from '../live/contract.ts'
import { readSessionExpiry } from '../live/session-expiry.ts'

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

/** The live channel `/hubs/downloads`: JSON frames `{event, data}` to every session. */
export const hubRoutes = (deps: Core & RouteAccess) => {
  const { hub, state } = deps
  const connections = new WeakMap<object, LiveConnection>()

  function listener(caller: Caller): Listener {
    const { sessionId } = caller
    if (sessionId === null) return { caller }
    return { caller, expiresAt: () => readSessionExpiry(state, sessionId) }
  }

  return new Elysia({ name: 'live' }).use(deps.access).ws('/hubs/downloads', {
    access: 'session',
    beforeHandle({ caller }) {
      if (!hub.hasCapacity(caller))
        throw unavailable('Too many live connections; close a page or try again later')
    },
    open(ws) {
      // Elysia types an older socket without the buffered amount; Bun's has it.
      const raw = ws.raw as typeof ws.raw & RawSocket
      const connection = hub.accept(liveSocket(raw), listener(ws.data.caller))
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
