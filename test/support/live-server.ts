import { Elysia } from 'elysia'
import pino from 'pino'
import { tempFolder } from './temp-folder.ts'
import { openState } from '../../db/state/open.ts'
import { session } from '../../db/state/schema/access.ts'
import { readConfig } from '../../src/core/config.ts'
import { anonymous, type Caller } from '../../src/core/caller.ts'
import { createAccess, type Gate, type RouteAccess } from '../../src/core/http/access.ts'
import type { Core } from '../../src/core/core.ts'
import { errors } from '../../src/core/http/errors.ts'
import { foreignRequests } from '../../src/core/http/foreign-requests.ts'
import type { ShareLimits } from '../../src/core/lib/shares.ts'
import { RemoteAddress } from '../../src/core/http/remote-address.ts'
import { events } from '../../src/app.ts'
import { createHub } from '../../src/core/live/hub.ts'
import { socketOptions } from '../../src/core/live/limits.ts'
import { hubRoutes } from '../../src/core/http/hub-routes.ts'
import { ManualTime } from './manual-time.ts'

export interface Frame {
  event: string
  data: unknown
}

export type LiveServer = ReturnType<typeof liveServer>

/**
 * The live channel on a real port, with real sessions in SQLite. The gate is a stand-in: the header
 * `x-caller: <role> <sessionId>` sets the caller, without it the caller is anonymous.
 */
export function liveServer(limits: Partial<ShareLimits> = {}) {
  const folder = tempFolder('live')
  const state = openState(folder)
  const time = new ManualTime()
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
  const config = readConfig({
    DATA_PATH: folder,
    Security__AllowedOrigins: 'https://panel.example',
  })
  const hub = createHub({ events, log, clock: time, timers: time, limits })
  const gate: Gate = {
    limit() {},
    async identify(request) {
      const [role, sessionId] = request.headers.get('x-caller')?.split(' ') ?? []
      if (role === undefined || sessionId === undefined) return anonymous
      return { ...anonymous, kind: 'session', role: role as Caller['role'], sessionId }
    },
    addressOf: (request) => request.headers.get('x-address'),
    antiforgery() {},
  }
  const access = createAccess(gate)
  // The route under test uses only these parts.
  const deps = { config, log, state, hub, access: access.plugin } as unknown as Core & RouteAccess
  const address = new RemoteAddress(config.security)
  const app = new Elysia({ websocket: socketOptions })
    .wrap(foreignRequests({ ...config.security, address, log }))
    .use(errors({ log, unmatched: () => new Response('dashboard') }))
    .use(hubRoutes(deps))
    .listen({ port: 0, hostname: '127.0.0.1' })
  const host = `127.0.0.1:${app.server?.port}`

  function addSession(id: string, expiresAt: Date, type: 'admin' | 'guest' = 'guest'): void {
    const now = time.now()
    const rest = { createdAt: now, lastSeenAt: now, ipAddress: '10.0.0.9', userAgent: 'test' }
    state.db
      .insert(session)
      .values({ id, type, tokenHash: id, expiresAt, ...rest })
      .run()
  }
  // Sessions for most tests; they last a day.
  const tomorrow = new Date(time.now().getTime() + 86_400_000)
  addSession('admin-1', tomorrow, 'admin')
  addSession('admin-2', tomorrow, 'admin')
  addSession('guest-1', tomorrow)
  addSession('guest-2', tomorrow)

  return {
    hub,
    state,
    time,
    host,
    logLines: lines,
    addSession,
    connect: (caller: string) => LiveClient.open(`ws://${host}/hubs/downloads`, caller),
    async stop() {
      hub.stop()
      await app.stop(true)
      state.close()
    },
  }
}

/** A client that keeps every received frame and lets tests wait for one. */
export class LiveClient {
  readonly frames: Frame[] = []
  readonly socket: WebSocket
  readonly closed: Promise<{ code: number; reason: string }>
  #wake: (() => void)[] = []

  private constructor(socket: WebSocket) {
    this.socket = socket
    socket.addEventListener('message', ({ data }) => {
      this.frames.push(JSON.parse(String(data)) as Frame)
      for (const wake of this.#wake.splice(0)) wake()
    })
    this.closed = new Promise((resolve) => {
      socket.addEventListener('close', ({ code, reason }) => resolve({ code, reason }))
    })
  }

  /** Resolves when the greeting and the first snapshot have arrived. */
  static async open(
    url: string,
    caller: string,
    { headers, greetings = 2 }: { headers?: Record<string, string>; greetings?: number } = {},
  ): Promise<LiveClient> {
    const all = headers ?? { 'x-caller': caller }
    const client = new LiveClient(new WebSocket(url, { headers: all }))
    await client.until((frames) => frames.length >= greetings)
    return client
  }

  async until(isMet: (frames: Frame[]) => boolean): Promise<void> {
    while (!isMet(this.frames)) {
      await new Promise<void>((resolve) => {
        this.#wake.push(resolve)
      })
    }
  }

  /** Sends a ping and waits for its answer: everything published before has then arrived. */
  async sync(): Promise<void> {
    const pongs = () => this.frames.filter(({ event }) => event === 'Pong').length
    const before = pongs()
    this.socket.send(JSON.stringify({ type: 'ping' }))
    await this.until(() => pongs() > before)
  }

  received(event: string): unknown[] {
    return this.frames.filter((frame) => frame.event === event).map(({ data }) => data)
  }
}
