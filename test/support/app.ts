import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import type { History } from '../../db/history/history.ts'
import { readConfig } from '../../src/core/config.ts'
import type { Clock } from '../../src/core/lib/clock.ts'
import { assemble } from '../../src/service.ts'

export interface TestAppOptions {
  /** Environment on top of the test defaults, names as operators write them. */
  environment?: Record<string, string>
  /** A migrated history of its own (`freshHistory()`); without it the history is away. */
  history?: History
  clock?: Clock
  /** Reads logs in a worker when true; the engine is idle otherwise. */
  isIngesting?: boolean
  /** Opens the index of cached files when true; nothing walks the cache by itself. */
  isIndexing?: boolean
}

export type TestApp = Awaited<ReturnType<typeof testApp>>

/**
 * The whole application on real parts in a temporary directory: real SQLite, real workers, the
 * history that is handed in. Requests go through `app.handle`, without a socket.
 */
export async function testApp(options: TestAppOptions = {}) {
  const root = mkdtempSync(join(tmpdir(), 'larder-test-'))
  for (const name of ['data', 'logs', 'cache']) mkdirSync(join(root, name))
  const lines: string[] = []
  const log = pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) })
  const config = readConfig({
    DATA_PATH: join(root, 'data'),
    LanCache__LogPath: join(root, 'logs'),
    LanCache__CachePath: join(root, 'cache'),
    POSTGRES_MODE: 'external',
    POSTGRES_HOST: '127.0.0.1',
    POSTGRES_PORT: '1',
    POSTGRES_PASSWORD: 'unused',
    // Nobody there: no test reaches the real Steam by accident.
    Alpha__WebApiBaseUrl: 'http://127.0.0.1:1',
    TZ: 'UTC',
    ...options.environment,
  })
  const parts = await assemble(config, log, {
    ...(options.history === undefined ? {} : { history: options.history }),
    ...(options.clock === undefined ? {} : { clock: options.clock }),
  })
  if (options.isIngesting === true) await parts.deps.logs.start()
  if (options.isIndexing === true) await parts.deps.cache.start()
  return {
    ...parts.deps,
    root,
    api: parts.api,
    /** Everything that is served: API, hub, documents, dashboard. */
    routes: parts.app.routes,
    /** The installation key as it is now; some calls replace it. */
    get key() {
      return parts.control.installationKey()
    },
    control: parts.control,
    /** Everything that was logged, as JSON lines. */
    logLines: lines,
    request: (path: string, init?: RequestInit) =>
      parts.app.handle(new Request(`http://localhost${path}`, init)),
    /** Listens on a free port; answers host and port. For sockets, which `request` cannot open. */
    listen() {
      parts.app.listen({ port: 0, hostname: '127.0.0.1' })
      return `127.0.0.1:${parts.app.server?.port}`
    },
    async stop() {
      await parts.app.server?.stop(true)
      parts.deps.alpha.login.cancel()
      parts.deps.disk.stop()
      await parts.deps.operations.stop()
      await parts.deps.logs.stop()
      await parts.deps.cache.stop()
      parts.deps.state.close()
      rmSync(root, { recursive: true, force: true })
    },
  }
}
