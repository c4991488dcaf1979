import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Elysia } from 'elysia'
import { HistoryUnavailable, type History } from '../../db/history/history.ts'
import { openState } from '../../db/state/open.ts'
import { createShared } from '../../src/group-parts.ts'
import { downloadsGroup } from '../../src/downloads/index.ts'
import { databaseRoutes } from '../../src/system/database/routes.ts'
import { readConfig } from '../../src/core/config.ts'
import { createDatasources } from '../../src/cache/datasources/create.ts'
import type { RouteDeps } from '../../src/deps.ts'
import { createDisk } from '../../src/cache/disk/create.ts'
import { createCacheEngine } from '../../src/engines/cache/facade.ts'
import { createDiskEngine } from '../../src/engines/disk/facade.ts'
import { createLogScan } from '../../src/engines/log-scan/facade.ts'
import {
  emptySpeeds,
  type LogEngine,
  type ProcessOutcome,
  type ProcessProgress,
} from '../../src/engines/logs/contract.ts'
import { anonymous, createAccess, type Gate, type Role } from '../../src/core/http/access.ts'
import { errors } from '../../src/core/http/errors.ts'
import { createNames } from '../../src/clients/host-names/create.ts'
import { createOperations } from '../../src/core/operations/registry.ts'
import { createSchedules } from '../../src/core/schedules/create.ts'
import { createSettings } from '../../src/core/settings/settings.ts'
import { ManualTime } from './manual-time.ts'
import { quietLog } from './quiet-log.ts'

/** Who asks is named by a header; the rest of the application is the real one. */
const gate: Gate = {
  limit() {},
  async identify(request) {
    // Only the tests beside send this header, with a role or not at all.
    const role = request.headers.get('x-role') as Role | null
    return role === null ? anonymous : { ...anonymous, kind: 'session', role, sessionId: 's' }
  },
  antiforgery() {},
}

const outcome: ProcessOutcome = {
  terminalStatus: 'completed',
  entriesProcessed: 7,
  linesProcessed: 9,
  mbProcessed: 2.5,
  mbTotal: 2.5,
  elapsedMs: 3,
}

/** An engine at the end of its logs whose run on request ends when the test says so. */
function idleEngine(counts: Record<string, Record<string, number>>) {
  let finish = () => {}
  let shipped = () => {}
  const moves: [string | null, string][] = []
  const runs: (string | null)[] = []
  let progress = (_report: ProcessProgress) => {}
  const engine: Partial<LogEngine> = {
    speeds: () => emptySpeeds(new Date(0)),
    onShipped: (listener) => void (shipped = listener),
    positions: () => Promise.resolve([]),
    setPosition(datasource, to) {
      moves.push([datasource, to])
      return Promise.resolve(to === 'beginning' ? 0 : 12)
    },
    process(datasource, options) {
      runs.push(datasource)
      progress = (report) => options.progress(report)
      return new Promise((resolve) => (finish = () => resolve(outcome)))
    },
    countedRequests: () =>
      Promise.resolve(
        Object.entries(counts).map(([datasource, byService]) => ({
          datasource,
          byService,
        })),
      ),
  }
  // The routes use nothing else.
  return {
    engine: engine as LogEngine,
    moves,
    runs,
    finish: () => finish(),
    report: (report: ProcessProgress) => progress(report),
    ship: () => shipped(),
  }
}

/** A history that is away from the beginning. */
export const awayHistory = {
  read: () => Promise.reject(new HistoryUnavailable('The history is away')),
  onStatus() {},
} as unknown as History

interface ReportAppOptions {
  history?: History
  now?: string
  environment?: Record<string, string>
  counts?: Record<string, Record<string, number>>
}

export type ReportApp = ReturnType<typeof reportApp>

/** The endpoints of the downloads group on a real history, with an idle log engine. */
export function reportApp(options: ReportAppOptions = {}) {
  const root = mkdtempSync(join(tmpdir(), 'larder-reports-'))
  for (const name of ['data', 'logs', 'cache']) mkdirSync(join(root, name))
  writeFileSync(join(root, 'logs', 'access.log'), '')
  const config = readConfig({
    DATA_PATH: join(root, 'data'),
    LanCache__LogPath: join(root, 'logs'),
    LanCache__CachePath: join(root, 'cache'),
    TZ: 'UTC',
    ...options.environment,
  })
  const time = new ManualTime(options.now ?? '2026-11-21T12:00:00.000Z')
  const state = openState(join(root, 'data'))
  const hub = { publish: () => {} }
  const settings = createSettings(state, time)
  const schedules = createSchedules({ state, settings, clock: time, log: quietLog, timers: time })
  const operations = createOperations({ state, clock: time, log: quietLog, hub, timers: time })
  const engine = createDiskEngine({ log: quietLog, clock: time })
  const folders = { config, settings, engine, clock: time, log: quietLog }
  const logs = idleEngine(options.counts ?? {})
  const logScan = createLogScan(quietLog)
  const history = options.history ?? awayHistory
  const access = createAccess(gate)
  const parts = {
    config,
    log: quietLog,
    clock: time,
    state,
    history,
    logs: logs.engine,
    logScan,
    hub,
    settings,
    schedules,
    operations,
    datasources: createDatasources(folders),
    disk: createDisk(folders),
    // Never started: nothing was looked through.
    cache: createCacheEngine({
      dataPath: config.dataPath,
      log: quietLog,
      roots: () => Promise.resolve([]),
    }),
    names: createNames({ config, clock: time, settings, hub }),
  }
  // The routes use nothing else.
  const deps = { ...parts, access: access.plugin } as unknown as RouteDeps
  const app = new Elysia()
    .use(errors({ log: quietLog, unmatched: () => new Response('dashboard') }))
    .use(downloadsGroup(deps, createShared(deps)))
    .use(databaseRoutes(deps))
  access.forms.learn(app.routes)
  const send = (method: string, path: string, role: Role | null, body?: unknown) => {
    const headers = new Headers(role === null ? {} : { 'x-role': role })
    const init: RequestInit = { method, headers }
    if (body !== undefined) {
      headers.set('Content-Type', 'application/json')
      init.body = JSON.stringify(body)
    }
    return app.handle(new Request(`http://localhost${path}`, init))
  }
  return {
    root,
    config,
    deps,
    logs,
    operations,
    time,
    send,
    /** The body of a GET that must succeed. */
    async read(path: string, role: Role = 'guest') {
      const response = await send('GET', path, role)
      const text = await response.text()
      if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text}`)
      return JSON.parse(text)
    },
    async stop() {
      engine.stop()
      logScan.stop()
      await operations.stop()
      state.close()
      rmSync(root, { recursive: true, force: true })
    },
  }
}
