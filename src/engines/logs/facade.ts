import type { Config } from '../../core/config.ts'
import type { Logger } from '../../core/lib/log.ts'
import { Engine, EngineEnded } from '../host.ts'
import {
  emptySpeeds,
  type HistoryConnection,
  type IngestStatus,
  type LogEngine,
  type SpeedSnapshot,
} from './contract.ts'
import type { LogEvents, LogJobs } from './logs.worker.ts'
import { errorText } from '../../core/lib/error-text.ts'

/** Before the worker has reported. */
export const startingStatus: IngestStatus = {
  state: 'starting',
  message: null,
  mismatch: null,
  backlogBytes: 0,
  lagMs: 0,
  outbox: {
    downloads: 0,
    trafficRows: 0,
    lagSeconds: 0,
    bytes: 0,
    lastShippedAt: null,
    lastError: null,
    isStuck: false,
    quarantined: 0,
  },
  limits: [],
}

/** What the worker last reported, and the listeners to its events. */
function createReports() {
  const listeners = {
    speeds: new Set<(snapshot: SpeedSnapshot) => void>(),
    shipped: new Set<() => void>(),
    newTitles: new Set<() => void>(),
    reopenWanted: new Set<(mark: string) => void>(),
  }
  const reports = {
    status: startingStatus,
    speeds: emptySpeeds(new Date()),
    listeners,
    on: {
      status: (status: IngestStatus) => void (reports.status = status),
      speeds(speeds: SpeedSnapshot) {
        reports.speeds = speeds
        for (const listener of listeners.speeds) listener(speeds)
      },
      shipped: () => listeners.shipped.forEach((listener) => listener()),
      newTitles: () => listeners.newTitles.forEach((listener) => listener()),
      reopenWanted: (mark: string) => listeners.reopenWanted.forEach((listener) => listener(mark)),
    },
  }
  return reports
}

/** Methods that are one job of the worker. */
const jobsOf = (engine: Engine<LogJobs, LogEvents>) =>
  ({
    positions: () => engine.run('positions', null),
    setPosition: (datasource, to) => engine.run('setPosition', { datasource, to }),
    process: (datasource, options) => engine.run('process', { datasource }, options),
    countedRequests: () => engine.run('countedRequests', null),
    removeLines: (request, options) => engine.run('removeLines', request, options),
    deleteLogs: (datasource) => engine.run('deleteLogs', { datasource }),
    logRetentionStatus: (input) => engine.run('logRetentionStatus', input),
    applyLogRetention: (input, options) => engine.run('applyLogRetention', input, options),
    untilShipped: (withinMs) => engine.run('untilShipped', { withinMs }),
    quarantine: () => engine.run('quarantine', null),
    retryQuarantine: () => engine.run('retryQuarantine', null),
    logsReopened: (mark) => engine.run('reopened', { mark }),
    emptyHistory: (request) => engine.run('emptyHistory', request),
    holdShipping: () => engine.run('holdShipping', null),
    releaseShipping: () => engine.run('releaseShipping', null),
    resolveMismatch: (choice) => engine.run('resolveMismatch', { choice }),
  }) satisfies Partial<LogEngine>

/** The installation that an engine reads for. */
interface Installation {
  /** Identifies the data folder: positions are taken only from a history that it filled. */
  id: string
  /** Whether the first-run set-up was ever completed. */
  isSetUp(): boolean
}

/** The log engine and its worker. Idle until `start`. */
export function createLogEngine(
  config: Config,
  log: Logger,
  installation: Installation = { id: '', isSetUp: () => true },
): LogEngine {
  const { dataPath, datasources, ingest, timeZone, prefillClients } = config
  const reports = createReports()
  const { listeners } = reports
  let connection: HistoryConnection | null = null
  let stage: 'stopped' | 'opening' | 'open' = 'stopped'

  const warn = (job: Promise<unknown>, message: string) =>
    void job.catch((error: unknown) => log.warn({ error: errorText(error) }, message))

  /** A store that cannot be used is a state of the engine. */
  function refuse(state: 'storage_failed' | 'storage_damaged', message: string): never {
    reports.status = { ...startingStatus, state, message }
    throw new Error(message)
  }

  const engine = new Engine<LogJobs, LogEvents>({
    name: 'logs',
    script: new URL('./logs.worker.ts', import.meta.url).href,
    log,
    hasSmallHeap: true,
    on: reports.on,
    async open(run) {
      stage = 'opening'
      reports.status = startingStatus
      const isSetUp = installation.isSetUp()
      const facts = { datasources, ingest, timeZone, prefillClients, isSetUp }
      const input = { dataPath, config: structuredClone(facts), installation: installation.id }
      const damage = await run('start', input).catch((error: unknown) => {
        if (error instanceof EngineEnded) throw error
        return refuse('storage_failed', errorText(error))
      })
      if (damage !== null) refuse('storage_damaged', damage)
      stage = 'open'
      if (connection !== null) await run('connect', connection)
    },
    close: (run) => run('stop', null),
    onCrash(message) {
      reports.status = { ...reports.status, state: 'starting', message }
    },
  })

  return {
    start() {
      stage = 'opening'
      return engine.start()
    },
    async stop() {
      stage = 'stopped'
      await engine.stop()
      reports.status = { ...reports.status, state: 'stopped' }
    },
    historyReady(target) {
      connection = target
      // A worker that is still opened takes it there; the second time would cut that connection.
      if (stage !== 'open') return
      warn(engine.run('connect', target), 'could not report the history to the shipper')
    },
    beginReading() {
      // The next start asks `isSetUp`.
      if (stage === 'stopped') return
      warn(engine.run('beginReading', null), 'log reading begins with the next start')
    },
    status: () => reports.status,
    speeds: () => reports.speeds,
    onSpeeds: (listener) => void listeners.speeds.add(listener),
    onShipped: (listener) => void listeners.shipped.add(listener),
    onNewTitles: (listener) => void listeners.newTitles.add(listener),
    onReopenWanted: (listener) => void listeners.reopenWanted.add(listener),
    ...jobsOf(engine),
    forceKill: () => engine.restart(),
  }
}
