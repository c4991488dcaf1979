import type { Config } from '../../src/core/config.ts'
import type { Logger } from '../../src/core/lib/log.ts'
import type { HistoryTarget } from './connect.ts'
import { readCredentials } from './credentials.ts'
import { createEmbedded, embeddedPort, socketDirectory } from './embedded.ts'
import type { Server } from './embedded/server.ts'
import { HistoryFault } from './failures.ts'
import { findServer } from './find-server.ts'

/** Location of the database: a common interface for both modes. */
export interface DatabaseServer {
  mode: 'embedded' | 'external'
  /** Makes sure that a server runs; throws errors fit for display. */
  start(signal: AbortSignal, onPhase: (phase: 'initialising' | 'starting') => void): Promise<void>
  stop(): Promise<void>
  target(): HistoryTarget
  /** A replica for reports; null without one. */
  replica(): HistoryTarget | null
  /** Called when our own server ended unexpectedly. */
  onLost(listener: () => void): void
  /** Why our own server is not running; null while it runs. */
  fault(): HistoryFault | null
  /** The stored credentials have changed. */
  credentialsChanged(): void
  /** Called after a refusal, to repair its cause. */
  onRefused(code: string | null): void
}

function externalServer(config: Config): DatabaseServer {
  const stored = () => readCredentials(config.dataPath)
  /** Which of the servers it is, and how it is reached; until the next start. */
  let found: HistoryTarget | null = null
  function configured(): HistoryTarget {
    const { host, port, database, user, password } = config.postgres
    const { schema, sslMode, sslRootCert } = config.postgres
    // The environment takes precedence; the set-up page's file fills the gaps.
    const file = stored()
    return {
      schema,
      sslMode,
      sslRootCert,
      host: host ?? file?.host ?? '',
      port: host === null ? (file?.port ?? port) : port,
      database: host === null ? (file?.database ?? database) : database,
      user: password === null ? (file?.username ?? user) : user,
      password: password ?? file?.password ?? '',
    }
  }
  return {
    mode: 'external',
    async start(signal, onPhase) {
      onPhase('starting')
      found = null
      const target = configured()
      if (target.host === '') {
        throw new HistoryFault('POSTGRES_HOST is missing: name the external Postgres server')
      }
      found = await findServer(target, signal)
    },
    async stop() {},
    target: () => found ?? configured(),
    replica() {
      const { readHost } = config.postgres
      return readHost === null
        ? null
        : { ...configured(), host: readHost, port: config.postgres.port }
    },
    onLost() {},
    fault: () => null,
    credentialsChanged() {
      found = null
    },
    onRefused() {},
  }
}

function embeddedServer(config: Config, log: Logger): DatabaseServer {
  const embedded = createEmbedded(config, log)
  let server: Server | null = null
  let lastWords = ''
  let stopping: Promise<void> = Promise.resolve()
  let notifyLost = () => {}

  const target = (): HistoryTarget => ({
    host: socketDirectory(config.dataPath),
    port: embeddedPort,
    database: config.postgres.database,
    schema: config.postgres.schema,
    ...embedded.role(),
  })

  async function stopServer(): Promise<void> {
    const running = server
    server = null
    stopping = running?.stop() ?? stopping
    await stopping
  }

  return {
    mode: 'embedded',
    target,
    replica: () => null,
    async start(signal, onPhase) {
      await stopping
      if (server !== null) return
      onPhase('starting')
      const started = await embedded.start(signal, () => onPhase('initialising'))
      server = started
      void started.exited.then((words) => {
        if (server !== started) return
        server = null
        lastWords = words
        notifyLost()
      })
    },
    async stop() {
      await stopServer()
      embedded.release()
    },
    onLost: (listener) => (notifyLost = listener),
    fault() {
      if (server !== null) return null
      return new HistoryFault(`Postgres ended unexpectedly. ${lastWords}`.trim())
    },
    credentialsChanged() {
      const { user } = embedded.role()
      embedded.forgetRole()
      // Renaming the role requires a stopped server.
      if (embedded.role().user !== user) void stopServer()
    },
    onRefused(code) {
      if (code === null || !['28P01', '28000', '3D000'].includes(code)) return
      log.warn('the private Postgres refused the stored credentials; setting new ones')
      embedded.distrustPassword()
      void stopServer()
    },
  }
}

/** The configured place. */
export const createDatabaseServer = (config: Config, log: Logger): DatabaseServer =>
  config.postgres.mode === 'external' ? externalServer(config) : embeddedServer(config, log)
