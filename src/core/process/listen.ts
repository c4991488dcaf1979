/*
 * Renewed certificates need no restart. The certificate files are compared every five seconds. A
 * new pair is served by a second server on the same port; the first one accepts nothing more and
 * ends with its last connection.
 */
import type { Server } from 'bun'
import type { Config } from '../config.ts'
import type { PeerSource } from '../http/remote-address.ts'
import { readTlsPair, type TlsPair, type TlsPaths } from '../lib/tls.ts'
import type { Logger } from '../lib/log.ts'
import { StartRefused } from './start-refused.ts'
import { errorText } from '../lib/error-text.ts'

const defaultRenewalCheckMs = 5000

interface ListenOptions {
  port: number
  hostname: string
  reusePort: boolean
  tls?: TlsPair
}

interface App {
  listen(options: ListenOptions): unknown
  readonly server: Server<unknown> | null
  stop(closeActiveConnections: boolean): Promise<unknown>
}

interface ListenParts {
  config: Pick<Config, 'host' | 'port' | 'tls'>
  log: Pick<Logger, 'info' | 'warn'>
  /** Called with every server that accepts connections from then on. */
  attach(server: PeerSource): void
  /** How often the certificate files are compared with the served pair, in milliseconds. */
  renewalCheckMs?: number
}

export interface Listening {
  port: number
  stop(): Promise<void>
}

/** Throws StartRefused with one line for problems that an operator can fix: an address, a port. */
function orRefuse<T>({ host, port }: ListenParts['config'], open: () => T): T {
  try {
    return open()
  } catch (cause) {
    const isInUse = cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE'
    const reason = isInUse ? 'the port is in use' : errorText(cause)
    throw new StartRefused(`cannot listen on ${host}:${port}: ${reason}`, { cause })
  }
}

/** Listens on the port exclusively: a second process would get half of the requests. */
export function listen(app: App, parts: ListenParts): Listening {
  const { host: hostname, port, tls } = parts.config
  const open = (options: ListenOptions) => {
    app.listen(options)
    if (app.server === null) throw new Error('the HTTP server did not start')
    parts.attach(app.server)
    return app.server
  }
  if (tls !== null) return listenSecurely(app, { ...parts, tls, open })
  const server = orRefuse(parts.config, () => open({ port, hostname, reusePort: false }))
  return { port: server.port ?? port, stop: async () => void (await app.stop(true)) }
}

interface SecureParts extends ListenParts {
  tls: TlsPaths
  open: (options: ListenOptions) => Server<unknown>
}

/**
 * A server keeps its initial certificate. A second server on the same port serves a renewed one;
 * the first stops accepting and ends with its last connection.
 */
function listenSecurely(app: App, parts: SecureParts): Listening {
  const { config, log, tls, open, renewalCheckMs = defaultRenewalCheckMs } = parts
  const { host: hostname } = config
  let pair = readTlsPair(tls)
  let complaint = ''
  const retired = new Set<Server<unknown>>()
  let server = orRefuse(config, () => {
    // The port is shared only between our own servers: no other process may listen there.
    void Bun.serve({ port: config.port, hostname, fetch: () => new Response() }).stop(true)
    return open({ port: config.port, hostname, reusePort: true, tls: pair })
  })
  const port = server.port ?? config.port

  function renew(): void {
    try {
      const found = readTlsPair(tls)
      complaint = ''
      if (Bun.deepEquals(found, pair)) return
      const old = server
      server = open({ port, hostname, reusePort: true, tls: found })
      pair = found
      retired.add(old)
      void old.stop(false).then(() => retired.delete(old))
      log.info('serving a new certificate')
    } catch (error) {
      // One of the two files may not be written yet.
      const reason = errorText(error)
      if (reason !== complaint) log.warn({ reason }, 'the certificate was not renewed')
      complaint = reason
    }
  }

  const timer = setInterval(renew, renewalCheckMs)
  return {
    port,
    async stop() {
      clearInterval(timer)
      await Promise.all([...retired].map((old) => old.stop(true)))
      await app.stop(true)
    },
  }
}
