import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { HistoryUnavailable, type History } from '../../db/history/history.ts'
import { never } from '../../src/access/sessions/sessions.ts'
import { anonymous, type Role } from '../../src/core/caller.ts'
import {
  emptySpeeds,
  type LogEngine,
  type ProcessOutcome,
  type ProcessProgress,
} from '../../src/engines/logs/contract.ts'
import type { IngestStatus } from '../../src/engines/logs/wire.ts'
import { startingStatus } from '../../src/engines/logs/facade.ts'
import { testApp, type TestApp } from './app.ts'
import { ManualTime } from './manual-time.ts'

const outcome: ProcessOutcome = {
  terminalStatus: 'completed',
  entriesProcessed: 7,
  linesProcessed: 9,
  mbProcessed: 2.5,
  mbTotal: 2.5,
  elapsedMs: 3,
}

const idleStatus: IngestStatus = { ...startingStatus, state: 'following' }

/** An engine at the end of its logs, whose requested run ends on the test's command. */
export function idleEngine(counts: Record<string, Record<string, number>> = {}) {
  let finish = () => {}
  const shipped: (() => void)[] = []
  const newTitles: (() => void)[] = []
  const moves: [string | null, string][] = []
  const runs: (string | null)[] = []
  let progress = (_report: ProcessProgress) => {}
  const engine: Partial<LogEngine> = {
    speeds: () => emptySpeeds(new Date(0)),
    onShipped: (listener) => void shipped.push(listener),
    onSpeeds() {},
    onNewTitles: (listener) => void newTitles.push(listener),
    onReopenWanted() {},
    onPrefillAddress() {},
    setPrefillRuns() {},
    setSlices() {},
    reuseCurves: () => Promise.resolve([]),
    historyReady() {},
    stop: () => Promise.resolve(),
    positions: () => Promise.resolve([]),
    status: () => idleStatus,
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
    ship() {
      for (const listener of shipped) listener()
    },
    /** Notifies of titles that the history did not have. */
    titlesArrived() {
      for (const listener of newTitles) listener()
    },
  }
}

/** A history that is unavailable from the start. */
export const awayHistory = {
  read: () => Promise.reject(new HistoryUnavailable('The history is away')),
  status: () => ({
    mode: 'external',
    state: 'down',
    message: null,
    since: new Date(0),
    replica: null,
  }),
  onStatus() {},
} as unknown as History

interface ReportAppOptions {
  history?: History
  now?: string
  environment?: Record<string, string>
  counts?: Record<string, Record<string, number>>
}

export type ReportApp = Awaited<ReturnType<typeof reportApp>>

/** A session of this role: its cookie and the antiforgery token for it. */
function sessionHeaders({ control }: TestApp, role: Role): Record<string, string> {
  const session = {
    type: role,
    accountId: null,
    expiresAt: never,
    ipAddress: null,
    userAgent: null,
  }
  const { id, token } = control.sessions.issue(session)
  const caller = { ...anonymous, kind: 'session' as const, sessionId: id }
  const request = new Request('http://localhost/')
  return {
    Cookie: `Svc.Session=${token}`,
    'X-Antiforgery-Token': control.antiforgery.issue(request, caller),
  }
}

/**
 * The application with an idle log engine and a clock controlled by tests; requests name a role.
 */
export async function reportApp(options: ReportAppOptions = {}) {
  const time = new ManualTime(options.now ?? '2026-11-21T12:00:00.000Z')
  const logs = idleEngine(options.counts)
  const app = await testApp({
    history: options.history ?? awayHistory,
    clock: time,
    timers: time,
    logs: logs.engine,
    environment: options.environment ?? {},
  })
  writeFileSync(join(app.root, 'logs', 'access.log'), '')
  const sessions = new Map<Role, Record<string, string>>()
  const headersOf = (role: Role) => {
    const known = sessions.get(role) ?? sessionHeaders(app, role)
    sessions.set(role, known)
    return known
  }
  const send = (method: string, path: string, role: Role | null, body?: unknown) => {
    const headers = new Headers(role === null ? {} : headersOf(role))
    const init: RequestInit = { method, headers }
    if (body !== undefined) {
      headers.set('Content-Type', 'application/json')
      init.body = JSON.stringify(body)
    }
    return app.request(path, init)
  }
  return {
    root: app.root,
    config: app.config,
    deps: app,
    logs,
    operations: app.operations,
    time,
    send,
    /** The body of a GET that must succeed. */
    async read(path: string, role: Role = 'guest') {
      const response = await send('GET', path, role)
      const text = await response.text()
      if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text}`)
      return JSON.parse(text)
    },
    stop: () => app.stop(),
  }
}
