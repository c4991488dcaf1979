/*
 * The hub behind the WebSocket. Each group declares its events in `live-events.ts`: payload,
 * audience and what a guest sees of it. `src/app.ts` puts the catalogue together and makes it
 * known to the compiler; an event that is not in it is not sent. A sender can narrow the audience,
 * never widen it.
 *
 * Slow clients never slow others down. Above 64 KiB of unsent data, events that only matter in
 * their newest version (speeds, activity) are held back and replaced; above 1 MiB the client is
 * disconnected. Each frame is serialised once per audience. The sessions of open sockets are
 * checked every 15 seconds.
 */
import { holderOf } from '../caller.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/log.ts'
import { Shares, type Holder, type ShareLimits } from '../lib/shares.ts'
import { systemTimers, type Timers } from '../lib/timers.ts'
import { Connection } from './connection.ts'
import type {
  Audience,
  HubCalls,
  HubClient,
  Listener,
  LiveConnection,
  LiveHub,
  LiveSocket,
} from './contract.ts'
import type { EventCatalogue, EventRule, Viewer } from './events.ts'
import { closeCodes, connectionLimits, sessionCheckMs } from './limits.ts'
import { closeReason, type SessionEnd } from './session-ends.ts'

export interface HubParts {
  events: EventCatalogue
  log: Logger
  clock: Clock
  timers?: Timers
  /** Fewer connections than the service allows, for tests. */
  limits?: Partial<ShareLimits>
  /** Without it clients may only ping. */
  calls?: HubCalls
}

/** The live channel: sends every event of the service to its audience. */
export const createHub = (parts: HubParts): LiveHub => new EventHub(parts)

/** An event's frames; each is built at most once, and only for a recipient. */
class Frames {
  readonly #event: string
  readonly #data: unknown
  readonly #rule: EventRule
  readonly #built = new Map<Viewer, string>()

  constructor(event: string, data: unknown, rule: EventRule) {
    this.#event = event
    this.#data = data
    this.#rule = rule
  }

  seenBy(viewer: Viewer): string {
    const { seenBy } = this.#rule
    // Without such a rule all see the same.
    const key = seenBy === undefined ? 'owner' : viewer
    const known = this.#built.get(key)
    if (known !== undefined) return known
    const data = seenBy === undefined ? this.#data : seenBy(viewer, this.#data)
    const frame = JSON.stringify({ event: this.#event, data: data ?? null })
    this.#built.set(key, frame)
    return frame
  }
}

class EventHub implements LiveHub {
  readonly #events: EventCatalogue
  readonly #clock: Clock
  readonly #timers: Timers
  readonly #log: Logger
  readonly #shares: Shares
  readonly #calls: HubCalls | null
  readonly #connections = new Set<Connection>()
  readonly #bySession = new Map<string, Set<Connection>>()
  #snapshot: () => unknown = () => ({ revision: 0, activities: [] })
  #cancelCheck: (() => void) | null = null
  #isStopped = false

  constructor({ events, log, clock, timers, limits, calls }: HubParts) {
    this.#events = events
    this.#log = log
    this.#clock = clock
    this.#calls = calls ?? null
    this.#timers = timers ?? systemTimers
    this.#shares = new Shares({ ...connectionLimits, ...limits })
  }

  publish(event: string, data: unknown, audience?: Audience): void {
    if (this.#connections.size === 0) return
    try {
      const rule = this.#ruleOf(event)
      const wanted = this.#audience(event, rule, { data, audience })
      const frames = new Frames(event, data, rule)
      const latestOf = rule.isLatestOnly === true ? event : undefined
      const nowMs = this.#clock.now().getTime()
      for (const connection of this.#connections) {
        if (!receives(connection, wanted) || connection.endIfExpired(nowMs)) continue
        // A session that is addressed by id gets the full payload.
        const viewer = wanted === 'everyone' ? connection.viewer : 'owner'
        connection.send(frames.seenBy(viewer), latestOf)
      }
    } catch (error) {
      this.#log.error({ err: error, event }, 'event not published')
    }
  }

  disconnect(sessionId: string, end: SessionEnd): void {
    for (const connection of this.#bySession.get(sessionId) ?? []) {
      connection.close(closeCodes.sessionOver, closeReason(end))
    }
  }

  connectionCount(): number {
    return this.#connections.size
  }

  hasCapacity(holder: Holder): boolean {
    return !this.#isStopped && this.#shares.hasRoom(holder)
  }

  accept(socket: LiveSocket, listener: Listener): LiveConnection | null {
    const { caller, address } = listener
    const giveBack = this.#isStopped ? null : this.#shares.take(holderOf(caller, address))
    if (giveBack === null) {
      socket.close(closeCodes.tooSlow, 'Too many live connections; close a page or try again later')
      return null
    }
    const client: HubClient = {
      caller,
      send: (frame) => connection.send(JSON.stringify(frame)),
    }
    const gone = () => {
      giveBack()
      this.#remove(connection)
      this.#calls?.gone(client)
    }
    const parts = { socket, listener, clock: this.#clock, timers: this.#timers, gone }
    const connection = new Connection(parts)
    this.#add(connection)
    // The session may have ended since the upgrade.
    if (connection.checkSession(this.#clock.now().getTime())) return null
    this.#send(connection, 'Welcome', { serverTime: this.#clock.now().toISOString() })
    if (this.#calls === null) this.#sendSnapshot(connection)
    return {
      receive: (message) => this.#receive(connection, client, message),
      drained: () => connection.drained(),
      closed: () => connection.closed(),
    }
  }

  provideSnapshot(snapshot: () => unknown): void {
    this.#snapshot = snapshot
  }

  stop(): void {
    this.#isStopped = true
    for (const connection of this.#connections) {
      connection.close(closeCodes.goingAway, 'The service is stopping')
    }
  }

  /** Throws for an event that is not in the catalogue. */
  #ruleOf(event: string): EventRule {
    const rule = this.#events.get(event)
    if (rule === undefined) throw new Error(`${event} is not in the catalogue of events`)
    return rule
  }

  /** The requested audience, but never a wider one than the catalogue allows. */
  #audience(
    event: string,
    { reach }: EventRule,
    { data, audience }: { data: unknown; audience: Audience | undefined },
  ): Audience {
    if (audience === 'everyone' && reach !== 'everyone') {
      this.#log.error({ event }, 'event is not public; only account holders receive it')
      return 'accounts'
    }
    if (audience !== undefined) return audience
    if (reach !== 'session') return reach
    const sessionId = sessionOf(data)
    return sessionId === null ? 'accounts' : { sessionId, alsoAccounts: true }
  }

  #send(connection: Connection, event: string, data: unknown): void {
    const rule = this.#ruleOf(event)
    connection.send(new Frames(event, data, rule).seenBy(connection.viewer))
  }

  #sendSnapshot(connection: Connection): void {
    try {
      this.#send(connection, 'ActivityUpdated', this.#snapshot())
    } catch (error) {
      this.#log.error({ err: error }, 'activity snapshot failed')
    }
  }

  #receive(connection: Connection, client: HubClient, message: unknown): void {
    if (!connection.admitFrame()) return
    const isPing =
      typeof message === 'object' &&
      message !== null &&
      'type' in message &&
      message.type === 'ping'
    if (isPing) this.#send(connection, 'Pong', { serverTime: this.#clock.now().toISOString() })
    else this.#calls?.receive(client, message)
  }

  #add(connection: Connection): void {
    this.#connections.add(connection)
    const { sessionId } = connection
    if (sessionId !== null) {
      const own = this.#bySession.get(sessionId) ?? new Set()
      this.#bySession.set(sessionId, own.add(connection))
    }
    this.#cancelCheck ??= this.#timers.after(sessionCheckMs, () => this.#checkSessions())
  }

  #remove(connection: Connection): void {
    this.#connections.delete(connection)
    const { sessionId } = connection
    if (sessionId !== null) {
      const own = this.#bySession.get(sessionId)
      own?.delete(connection)
      if (own?.size === 0) this.#bySession.delete(sessionId)
    }
    if (this.#connections.size > 0) return
    this.#cancelCheck?.()
    this.#cancelCheck = null
  }

  #checkSessions(): void {
    this.#cancelCheck = this.#timers.after(sessionCheckMs, () => this.#checkSessions())
    const nowMs = this.#clock.now().getTime()
    try {
      for (const connection of this.#connections) connection.checkSession(nowMs)
    } catch (error) {
      this.#log.error({ err: error }, 'sessions of live connections not checked')
    }
  }
}

function receives(connection: Connection, audience: Audience): boolean {
  if (audience === 'everyone') return true
  if (audience === 'accounts') return !connection.isGuest
  if (connection.sessionId === audience.sessionId) return true
  if (audience.alsoOwner === true && connection.isOwner) return true
  return audience.alsoAccounts === true && !connection.isGuest
}

function sessionOf(data: unknown): string | null {
  if (typeof data !== 'object' || data === null || !('sessionId' in data)) return null
  return typeof data.sessionId === 'string' ? data.sessionId : null
}
