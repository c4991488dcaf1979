import { Elysia } from 'elysia'
import { holderOf, anonymous } from '../core/caller.ts'
import type { RouteAccess } from '../core/http/access.ts'
import { AppError, unavailable } from '../core/http/errors.ts'
import { createRateLimit } from '../core/http/rate-limit.ts'
import type { RemoteAddress } from '../core/http/remote-address.ts'
import type { Clock } from '../core/lib/clock.ts'
import { Shares } from '../core/lib/shares.ts'
import type { Timers } from '../core/lib/timers.ts'
import { cutAfterMs } from '../core/live/limits.ts'
import { socketPath } from './contract.ts'
import type { Side } from './handshake.ts'
import { unprovenLimits } from './limits.ts'
import type { Wire } from './link.ts'
import type { NodeService } from './service.ts'

/** The part of the server's socket that a link needs. */
interface RawSocket {
  send(frame: Uint8Array): number
  getBufferedAmount(): number
  close(code?: number, reason?: string): void
  terminate(): void
}

const normalClosure = 1000
/** What a close frame has room for, at four bytes a character. */
const closeCharsMax = 30

const wireOf = (raw: RawSocket, timers: Timers): Wire => ({
  send: (frame) => raw.send(frame) !== 0,
  bufferedBytes: () => raw.getBufferedAmount(),
  close(reason) {
    raw.close(normalClosure, reason.slice(0, closeCharsMax))
    // A peer that is gone, or ignores the close frame.
    timers.after(cutAfterMs, () => raw.terminate())
  },
})

/** A connection, and what gives its place among the unproven ones back. */
interface Held {
  side: Side
  release: () => void
}

export interface SocketParts {
  nodes: NodeService
  address: RemoteAddress
  clock: Clock
  timers: Timers
}

/** The socket that nodes open. It is public: whoever connects has to prove a key. */
export function nodeSocket(
  { nodes, address, clock, timers }: SocketParts,
  { access }: RouteAccess,
) {
  const { total, perAddress, perMinute } = unprovenLimits
  const attempts = createRateLimit({ attempts: perMinute, windowSeconds: 60 }, clock)
  const unproven = new Shares({ total, guests: total, perSession: total, perAddress })
  const connections = new WeakMap<object, Held>()

  const app = new Elysia({ name: 'nodes/socket' })
    .use(access)
    // The server knows it until the upgrade.
    .resolve(({ request }) => ({ from: address.of(request) }))
  return app.ws(socketPath, {
    access: 'public',
    withAddress: true,
    beforeHandle({ address: household }) {
      if (!nodes.isUsed()) throw new AppError('notFound', 'No node was invited')
      attempts.take(household)
      if (!unproven.hasRoom(holderOf(anonymous, household))) {
        throw unavailable('Too many connections that have proven no key; try again later')
      }
    },
    open(ws) {
      // Elysia types an older socket without the buffered amount; Bun's has it.
      const raw = ws.raw as typeof ws.raw & RawSocket
      let giveBack = unproven.take(holderOf(anonymous, ws.data.address))
      if (giveBack === null) return raw.terminate()
      const release = () => {
        giveBack?.()
        giveBack = null
      }
      const side = nodes.accept(wireOf(raw, timers), ws.data.from, release)
      connections.set(ws.raw, { side, release })
    },
    message(ws, frame) {
      const side = connections.get(ws.raw)?.side
      // A text is no frame of ours; an empty one is refused as any that does not decrypt.
      side?.receive(frame instanceof Uint8Array ? frame : new Uint8Array())
    },
    close(ws) {
      const held = connections.get(ws.raw)
      held?.release()
      held?.side.closed()
    },
  })
}
