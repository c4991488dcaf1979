import type { Config } from '../../core/config.ts'
import type { Logger } from '../../core/lib/log.ts'
import { Engine } from '../host.ts'
import {
  emptySpeeds,
  type HistoryConnection,
  type IngestStatus,
  type MismatchChoice,
  type LogEngine,
  type ProcessOutcome,
  type ProcessProgress,
  type QuarantineList,
  type SourcePositions,
  type SpeedSnapshot,
} from './contract.ts'
import type {
  LogRetentionInput,
  LogRetentionOutcome,
  LogRetentionSource,
} from './log-retention/log-retention-contract.ts'
import type { LogJobs } from './logs.worker.ts'
import type {
  DeletionOutcome,
  RemovalOutcome,
  RemovalProgress,
  RemovalRequest,
} from './changes/removal-contract.ts'

const firstRestartMs = 500
const lastRestartMs = 60_000
/** A worker that ran this long was healthy: the next crash starts with the shortest back-off. */
const healthyMs = 60_000
/** Flushing takes milliseconds; only a blocked disk takes this long. */
const stopTimeoutMs = 10_000

const startingStatus: IngestStatus = {
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

class WorkerLogEngine implements LogEngine {
  readonly #engine: Engine<LogJobs>
  readonly #config: Config
  readonly #installation: string
  readonly #log: Logger
  #status: IngestStatus = startingStatus
  #speeds: SpeedSnapshot = emptySpeeds(new Date())
  #connection: HistoryConnection | null = null
  #isStopped = true
  #startedAtMs = 0
  #restartMs = firstRestartMs
  #restart: ReturnType<typeof setTimeout> | null = null
  readonly #speedListeners: ((snapshot: SpeedSnapshot) => void)[] = []
  readonly #shippedListeners: (() => void)[] = []
  readonly #reopenListeners: ((mark: string) => void)[] = []

  constructor(config: Config, log: Logger, installation: string) {
    this.#config = config
    this.#installation = installation
    this.#log = log
    this.#engine = new Engine<LogJobs>({
      name: 'logs',
      script: new URL('./logs.worker.ts', import.meta.url).href,
      log,
      hasSmallHeap: true,
      onEvent: (event, data) => this.#receive(event, data),
      onCrash: (reason) => this.#crashed(reason),
    })
  }

  async start(): Promise<void> {
    this.#isStopped = false
    await this.#launch()
  }

  async stop(): Promise<void> {
    if (this.#isStopped) return
    this.#isStopped = true
    if (this.#restart !== null) clearTimeout(this.#restart)
    await Promise.race([
      this.#engine.run('stop', null).catch(() => {}),
      new Promise<void>((resolve) => setTimeout(resolve, stopTimeoutMs).unref()),
    ])
    this.#engine.kill('the log engine was stopped')
    this.#status = { ...this.#status, state: 'stopped' }
  }

  historyReady(connection: HistoryConnection): void {
    this.#connection = connection
    if (this.#isStopped) return
    this.#engine.run('connect', connection).catch((error: unknown) => {
      this.#log.warn(
        { error: String(error) },
        'could not report the state of the history to the shipper',
      )
    })
  }

  speeds = (): SpeedSnapshot => this.#speeds

  onSpeeds(listener: (snapshot: SpeedSnapshot) => void): void {
    this.#speedListeners.push(listener)
  }

  onShipped(listener: () => void): void {
    this.#shippedListeners.push(listener)
  }

  status = (): IngestStatus => this.#status

  positions(): Promise<SourcePositions[]> {
    return this.#engine.run('positions', null)
  }

  setPosition(datasource: string | null, to: 'beginning' | 'end'): Promise<number> {
    return this.#engine.run('setPosition', { datasource, to })
  }

  process(
    datasource: string | null,
    options: { signal: AbortSignal; progress(report: ProcessProgress): void },
  ): Promise<ProcessOutcome> {
    const { signal } = options
    return this.#engine.run(
      'process',
      { datasource },
      {
        signal,
        // The job reports exactly this shape, as plain data across the thread.
        progress: (report) => options.progress(report as unknown as ProcessProgress),
      },
    )
  }

  countedRequests(): Promise<{ datasource: string; byService: Record<string, number> }[]> {
    return this.#engine.run('countedRequests', null)
  }

  removeLines(
    request: RemovalRequest,
    options: { signal: AbortSignal; progress(report: RemovalProgress): void },
  ): Promise<RemovalOutcome> {
    return this.#engine.run('removeLines', request, {
      signal: options.signal,
      // The job reports exactly this shape.
      progress: (report) => options.progress(report as unknown as RemovalProgress),
    })
  }

  deleteLogs(datasource: string): Promise<DeletionOutcome> {
    return this.#engine.run('deleteLogs', { datasource })
  }

  logRetentionStatus(input: LogRetentionInput): Promise<LogRetentionSource[]> {
    return this.#engine.run('logRetentionStatus', input)
  }

  applyLogRetention(
    input: LogRetentionInput,
    { signal }: { signal: AbortSignal },
  ): Promise<LogRetentionOutcome> {
    return this.#engine.run('applyLogRetention', input, { signal })
  }

  untilShipped(withinMs: number): Promise<boolean> {
    return this.#engine.run('untilShipped', { withinMs })
  }

  quarantine(): Promise<QuarantineList> {
    return this.#engine.run('quarantine', null)
  }

  retryQuarantine(): Promise<number> {
    return this.#engine.run('retryQuarantine', null)
  }

  onReopenWanted(listener: (mark: string) => void): void {
    this.#reopenListeners.push(listener)
  }

  logsReopened(mark: string): Promise<void> {
    return this.#engine.run('reopened', { mark })
  }

  resolveMismatch(choice: MismatchChoice): Promise<void> {
    return this.#engine.run('resolveMismatch', { choice })
  }

  async forceKill(): Promise<void> {
    this.#engine.kill('the log engine was killed')
    if (!this.#isStopped) await this.#launch()
  }

  async #launch(): Promise<void> {
    const { dataPath, datasources, ingest, timeZone, prefillClients } = this.#config
    this.#startedAtMs = performance.now()
    this.#status = startingStatus
    const config = structuredClone({ datasources, ingest, timeZone, prefillClients })
    try {
      const input = { dataPath, config, installation: this.#installation }
      const damage = await this.#engine.run('start', input)
      if (damage !== null) return this.#failed('storage_damaged', damage)
      if (this.#connection !== null) await this.#engine.run('connect', this.#connection)
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      this.#failed('storage_failed', message)
    }
  }

  #failed(state: 'storage_failed' | 'storage_damaged', message: string): void {
    this.#status = { ...startingStatus, state, message }
    this.#log.error({ error: message }, 'the log engine did not start')
    this.#launchLater()
  }

  #crashed(reason: string): void {
    if (this.#isStopped) return
    this.#status = { ...this.#status, state: 'starting', message: reason }
    this.#launchLater()
  }

  #launchLater(): void {
    if (this.#restart !== null || this.#isStopped) return
    if (performance.now() - this.#startedAtMs > healthyMs) this.#restartMs = firstRestartMs
    this.#restart = setTimeout(() => {
      this.#restart = null
      if (!this.#isStopped) void this.#launch()
    }, this.#restartMs)
    this.#restart.unref()
    this.#restartMs = Math.min(lastRestartMs, this.#restartMs * 2)
  }

  #receive(event: string, data: unknown): void {
    // `logs.worker.ts` determines events and their data.
    if (event === 'status') this.#status = data as IngestStatus
    else if (event === 'speeds') {
      this.#speeds = data as SpeedSnapshot
      for (const listener of this.#speedListeners) listener(this.#speeds)
    } else if (event === 'shipped') for (const listener of this.#shippedListeners) listener()
    else if (event === 'reopenWanted') {
      for (const listener of this.#reopenListeners) listener(String(data))
    }
  }
}

/**
 * The log engine and its worker. Idle until `start`. `installation` identifies the data folder, so
 * that positions are taken only from a history filled by this installation.
 */
export const createLogEngine = (config: Config, log: Logger, installation = ''): LogEngine =>
  new WorkerLogEngine(config, log, installation)
