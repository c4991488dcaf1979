import './cheap-hashing.ts'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import pino from 'pino'
import { atEnd } from './cleanup.ts'
import { tempFolder } from './temp-folder.ts'
import type { History } from '../../db/history/history.ts'
import { readConfig } from '../../src/core/config.ts'
import type { Clock } from '../../src/core/lib/clock.ts'
import { RecentLog } from '../../src/core/lib/recent-log.ts'
import type { OutsideOptions } from '../../src/core/lib/outside.ts'
import type { Timers } from '../../src/core/lib/timers.ts'
import type { CatalogueEngine } from '../../src/engines/catalogue/contract.ts'
import type { LogEngine } from '../../src/engines/logs/contract.ts'
import { assemble, startGroups, type Replacements } from '../../src/service.ts'

export interface TestAppOptions {
  /** Environment in addition to the test defaults, with the operator's names. */
  environment?: Record<string, string>
  /** A migrated history of its own (`freshHistory()`); without it the history is unavailable. */
  history?: History
  clock?: Clock
  timers?: Timers
  /** Replaces the real engine. */
  logs?: LogEngine
  catalogue?: CatalogueEngine
  /** Pauses between requests to stand-ins; none by default. */
  outside?: OutsideOptions
  /** Where the status check connects to caches and platforms; directly by default. */
  connections?: Replacements['connections']
  /** Own daemons of prefill take catalogue and content from there. */
  practiceOrigin?: string
  /** Reads logs in a worker when true; the engine is idle otherwise. */
  isIngesting?: boolean
  /** Opens the cache index when true; nothing walks the cache automatically. */
  isIndexing?: boolean
}

export type TestApp = Awaited<ReturnType<typeof testApp>>

/** An unused address: no test reaches a real platform by accident. */
const nowhere = 'http://127.0.0.1:1'
const platformAddresses = Object.fromEntries(
  [
    ...['Account', 'Catalog', 'Launcher', 'Store'].map((name) => `Beta__${name}BaseUrl`),
    ...[
      'Login',
      'UserAuth',
      'DeviceAuth',
      'Xsts',
      'Profile',
      'TitleHub',
      'Catalog',
      'Packages',
    ].map((name) => `Epsilon__${name}BaseUrl`),
    ...['WebApi', 'CmList', 'Store'].map((name) => `Alpha__${name}BaseUrl`),
  ].map((name) => [name, nowhere]),
)

/**
 * The whole application with real parts in a temporary directory: real SQLite, real workers, the
 * given history. Requests go through `app.handle`, without a socket. It is stopped after the file's last
 * test, unless the test does so.
 */
export async function testApp(options: TestAppOptions = {}) {
  const root = tempFolder('test')
  for (const name of ['data', 'logs', 'cache']) mkdirSync(join(root, name))
  const lines: string[] = []
  const recentLog = new RecentLog()
  const write = (line: string) => {
    lines.push(line)
    recentLog.write(line)
  }
  const log = pino({ level: 'debug', timestamp: pino.stdTimeFunctions.isoTime }, { write })
  const config = readConfig({
    DATA_PATH: join(root, 'data'),
    LanCache__LogPath: join(root, 'logs'),
    LanCache__CachePath: join(root, 'cache'),
    POSTGRES_MODE: 'external',
    POSTGRES_HOST: '127.0.0.1',
    POSTGRES_PORT: '1',
    POSTGRES_PASSWORD: 'unused',
    ...platformAddresses,
    Alpha__DepotListUrl: `${nowhere}/list.json`,
    StatusCheck__DomainsUrl: nowhere,
    StatusCheck__CloudflareDnsUrl: nowhere,
    StatusCheck__GoogleDnsUrl: nowhere,
    Images__AlphaBaseUrl: nowhere,
    Images__BetaBaseUrl: nowhere,
    Images__EpsilonBaseUrl: nowhere,
    TZ: 'UTC',
    // Reading does not wait for the set-up; empty: it does.
    LogProcessing__StartAt: 'beginning',
    ...options.environment,
  })
  const { history, clock, timers, logs, catalogue, outside } = options
  const { connections, practiceOrigin } = options
  const { app, apiRoutes, groups, parts } = assemble(config, log, {
    ...(history && { history }),
    ...(clock && { clock }),
    ...(timers && { timers }),
    ...(logs && { logs }),
    ...(catalogue && { catalogue }),
    ...(connections && { connections }),
    recentLog,
    outside: { gapMs: 0, pauseMs: 1, ...outside },
    ...(practiceOrigin !== undefined && { practiceOrigin }),
  })
  startGroups(groups)
  if (options.isIngesting === true) await parts.logs.start()
  if (options.isIndexing === true) parts.cache.start()
  const stop = atEnd(async () => {
    groups.nodes.stop()
    await app.server?.stop(true)
    parts.schedules.stop()
    await groups.prefill.stop()
    groups.cache.stop()
    groups.catalogue.stop()
    await groups.system.stop()
    parts.alpha.login.cancel()
    parts.disk.stop()
    await parts.operations.stop()
    parts.logScan.stop()
    await parts.logs.stop()
    await parts.cache.stop()
    parts.state.close()
  })
  return {
    ...parts,
    groups,
    root,
    apiRoutes,
    /** All routes: API, hub, documents, dashboard. */
    routes: app.routes,
    /** The current installation key; some calls replace it. */
    get key() {
      return parts.control.installationKey()
    },
    /** All log output, as JSON lines. */
    logLines: lines,
    request: (path: string, init?: RequestInit) =>
      app.handle(new Request(`http://localhost${path}`, init)),
    /** Listens on a free port; returns host and port. For sockets, which `request` cannot open. */
    listen(port = 0) {
      app.listen({ port, hostname: '127.0.0.1' })
      return `127.0.0.1:${app.server?.port}`
    },
    server: () => app.server,
    stop,
  }
}
