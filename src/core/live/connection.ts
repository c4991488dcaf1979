import { isAccountHolder } from '../caller.ts'
import type { Clock } from '../lib/clock.ts'
import type { Timers } from '../lib/timers.ts'
import type { Listener, LiveSocket } from './contract.ts'
import type { Viewer } from './events.ts'
import {
  closeCodes,
  cutAfterMs,
  frameBurst,
  framesPerSecond,
  holdBackBytes,
  unsentBytesMax,
} from './limits.ts'
import { closeReason } from './session-ends.ts'

interface ConnectionParts {
  socket: LiveSocket
  listener: Listener
  clock: Clock
  timers: Timers
  /** Called once, when the hub is done with the connection. */
  gone: (connection: Connection) => void
}

/** One client: what it may see, and what it has not received yet. */
export class Connection {
  readonly isGuest: boolean
  readonly sessionId: string | null
  readonly isOwner: boolean
  readonly viewer: Viewer
  readonly #parts: ConnectionParts
  /** Newest frame per event for a slow client; bounded by the number of such events. */
  readonly #held = new Map<string, string>()
  #expiresAtMs = Number.POSITIVE_INFINITY
  #isOpen = true
  /** Frames that the client may send now, at the time below. */
  #framesLeft = frameBurst
  #framesCountedMs: number

  constructor(parts: ConnectionParts) {
    const { caller } = parts.listener
    this.#parts = parts
    this.#framesCountedMs = parts.clock.elapsedMs()
    this.isGuest = !isAccountHolder(caller)
    this.sessionId = caller.sessionId
    this.isOwner = caller.isOwner
    const seesAll = caller.isOwner || caller.accountId === null
    this.viewer = this.isGuest ? 'guest' : seesAll ? 'owner' : 'account'
    this.#readExpiry()
  }

  /** Sends a frame. `latestOf` names the event whose older frames it replaces. */
  send(frame: string, latestOf?: string): void {
    if (!this.#isOpen) return
    const { socket } = this.#parts
    if (latestOf !== undefined && socket.bufferedBytes() > holdBackBytes) {
      this.#held.set(latestOf, frame)
      return
    }
    if (latestOf !== undefined) this.#held.delete(latestOf)
    const isDropped = socket.send(frame) === 0
    if (isDropped || socket.bufferedBytes() > unsentBytesMax) {
      this.close(closeCodes.tooSlow, 'The connection is too slow for the live channel')
    }
  }

  /** Counts a frame of the client; false, and the end of the connection, when there are too many. */
  admitFrame(): boolean {
    if (!this.#isOpen) return false
    const nowMs = this.#parts.clock.elapsedMs()
    const gained = ((nowMs - this.#framesCountedMs) / 1000) * framesPerSecond
    this.#framesLeft = Math.min(frameBurst, this.#framesLeft + gained) - 1
    this.#framesCountedMs = nowMs
    if (this.#framesLeft >= 0) return true
    this.close(closeCodes.tooMany, 'The connection sends too many messages')
    return false
  }

  /** The client caught up: sends the held frames. */
  drained(): void {
    const held = [...this.#held]
    this.#held.clear()
    for (const [event, frame] of held) this.send(frame, event)
  }

  /** Closes the connection; a client that ignores the close frame is cut off a little later. */
  close(code: number, reason: string): void {
    if (!this.#isOpen) return
    this.closed()
    const { socket, timers } = this.#parts
    socket.close(code, reason)
    timers.after(cutAfterMs, () => socket.terminate())
  }

  /** The socket is closed. */
  closed(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#held.clear()
    this.#parts.gone(this)
  }

  /** Closes the socket when its session has ended. Reads the session only when it seems so. */
  endIfExpired(nowMs: number): boolean {
    if (nowMs < this.#expiresAtMs) return false
    return this.checkSession(nowMs)
  }

  /** Reads the session again: it may have been extended, shortened or ended since. */
  checkSession(nowMs: number): boolean {
    this.#readExpiry()
    if (nowMs < this.#expiresAtMs) return false
    this.close(closeCodes.sessionOver, closeReason('over'))
    return true
  }

  #readExpiry(): void {
    const { expiresAt } = this.#parts.listener
    if (expiresAt !== undefined) this.#expiresAtMs = expiresAt()?.getTime() ?? 0
  }
}
