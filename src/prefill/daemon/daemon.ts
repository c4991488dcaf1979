/*
 * `bun run daemon -- <platform>` starts one daemon as a process of its own; Larder starts it as a
 * child. It imports only this folder, the protocol, a few files of `core/lib` and the connection
 * to its platform. The frame (`daemon.ts`, `client.ts`, `commands.ts`) speaks the protocol and
 * drives an `Engine`: which games there are, which version is current, which objects a version
 * consists of. Everything else is shared by all engines: runs, logins, selection, versions that
 * were downloaded, and the download itself.
 */
import type { Clock } from '../../core/lib/clock.ts'
import type { Logger } from '../../core/lib/log.ts'
import { commands as allCommands } from '../protocol/commands.ts'
import type { DaemonRequest, EventType, ResponseContent } from '../protocol/envelopes.ts'
import { MessageError } from '../protocol/fields.ts'
import { createCommands } from './commands.ts'
import { createBandwidth } from './content/bandwidth.ts'
import { createCacheClient } from './content/cache-client.ts'
import type { Patience } from './content/cache-gate.ts'
import type { ServerAddress } from '../../core/lib/cache-network.ts'
import { LoginError, type Engine } from './engine.ts'
import { createLanes } from './lanes.ts'
import { listen } from './listen.ts'
import { createLogins } from './logins.ts'
import { CommandError } from './run-request.ts'
import { createRuns } from './runs.ts'
import { createServer } from './server.ts'
import type { DaemonSettings } from './settings.ts'
import { createStore } from './store.ts'
import { errorText } from '../../core/lib/error-text.ts'

interface DaemonParts {
  settings: DaemonSettings
  engine: Engine
  /** Where content is requested, unless a run names an address; rejects with CacheNotFound. */
  cache: (named: ServerAddress | null) => Promise<ServerAddress>
  clock: Clock
  log: Logger
  /** Default: the usual one. */
  patience?: Partial<Patience> | undefined
}

export interface Daemon {
  /** Listens, and signs in with what is stored. Rejects with ListenError. */
  start(): Promise<void>
  /** Ends a run with its terminal event, then stops listening. */
  stop(): Promise<void>
}

/** Whoever asks a question does not wait for a cache as long as a run does. */
const questionPatience: Partial<Patience> = { unreachableMs: 15_000, failingMs: 15_000 }

/** A server of the daemon protocol around one engine. */
export function createDaemon(parts: DaemonParts): Daemon {
  const { settings, engine, cache, clock, log, patience } = parts
  const bandwidth = createBandwidth(settings.bandwidth)
  const store = createStore(settings)
  const lanes = createLanes()
  const publish = (type: EventType, data: object) => server.publish(type, data)
  const { login, wire, userAgent } = engine
  const openClient = async (named: ServerAddress | null, limits = patience) =>
    createCacheClient({ address: await cache(named), userAgent, bandwidth, patience: limits })
  const runs = createRuns({ engine, store, bandwidth, openClient, publish, clock, log })
  const loginParts = { credentialInfo: wire.credentialInfo, publish, clock, log }
  const logins = login === null ? null : createLogins({ login, ...loginParts })
  const commandParts = { engine, logins, runs, store, bandwidth }
  const table = createCommands({
    ...commandParts,
    openClient: (named) => openClient(named, { ...questionPatience, ...patience }),
  })

  async function handle(
    { type, parameters }: DaemonRequest,
    signal: AbortSignal,
  ): Promise<ResponseContent> {
    const command = allCommands.find((known) => known === type)
    const entry = command === undefined ? undefined : table[command]
    const needsLogin = login !== null && login.signedIn === null && entry?.isOpen !== true
    if (needsLogin) {
      const error = 'Authentication required. Please login first.'
      return { success: false, error, requiresLogin: true }
    }
    if (entry === undefined) {
      return { success: false, error: `Unknown command type: ${type.slice(0, 100)}` }
    }
    try {
      const answer = await lanes(entry.lane, async () => {
        signal.throwIfAborted()
        return entry.run({ parameters, signal })
      })
      return { success: true, ...answer }
    } catch (error) {
      const isOrdinary = [CommandError, LoginError, MessageError].some(
        (kind) => error instanceof kind,
      )
      if (!isOrdinary && !signal.aborted) log.warn({ err: error, type }, 'a command failed')
      return { success: false, error: errorText(error) }
    }
  }

  const server = createServer({ secret: settings.secret, clock, log, handle })
  let stopListening: (() => Promise<void>) | null = null
  return {
    async start() {
      stopListening = await listen(settings.endpoint, (socket) => server.accept(socket))
      void logins?.restore()
    },
    async stop() {
      logins?.cancel()
      await runs.cancel()
      server.close()
      await stopListening?.()
      await engine.close?.()
    },
  }
}
