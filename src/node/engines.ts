import { isDamageText } from '../../db/damage.ts'
import type { HistoryTarget } from '../../db/history/connect.ts'
import { createDatabaseServer } from '../../db/history/database-server.ts'
import { createDatasources } from '../cache/datasources/create.ts'
import { rootOf } from '../cache/datasources/roots.ts'
import type { Config, DatasourceConfig } from '../core/config.ts'
import { systemClock } from '../core/lib/clock.ts'
import { errorText } from '../core/lib/error-text.ts'
import type { Logger } from '../core/lib/log.ts'
import type { CacheJobs } from '../engines/cache/cache.worker.ts'
import { createDiskEngine } from '../engines/disk/facade.ts'
import type { DiskJobs } from '../engines/disk/jobs.ts'
import type { Jobs } from '../engines/engine.ts'
import { Engine, type EngineLog, type EngineOptions } from '../engines/host.ts'
import type { LogScanJobs } from '../engines/log-scan/jobs.ts'
import type { PrefillRun } from '../engines/logs/downloads/prefill-runs.ts'
import type { IngestConfig } from '../engines/logs/ingest-config.ts'
import type { LogJobs, NodeLogEvents } from '../engines/logs/logs.worker.ts'
import type { ProxyControl } from '../engines/proxy/contract.ts'
import { createGuards } from '../engines/remote/guards.ts'
import { isRecord } from '../core/lib/record.ts'
import type { NodeEngine } from '../engines/remote/messages.ts'
import { EngineServer, type ServedEngine } from '../engines/remote/serve.ts'
import type { HistoryAnswer } from '../engines/shipper/service-history.ts'
import { programScript } from '../core/lib/program-files.ts'

/** A worker that only answers questions is ended soon, to free its memory. */
const idleMs = 60_000
/** How long the start waits for an external Postgres; the shipper goes on trying. */
const serverMs = 5000

/** What the log engine of a node needs to know from its service. */
export interface NodePlace {
  /** Id of the node: its positions in the history belong to it. */
  id: string
  /** Its slot in the history; see `downloadIdStep`. */
  slot: number
  /** Of the node when it joined. */
  name: string
}

interface Parts {
  config: Config
  log: Logger
  place: NodePlace
  /** A call of the log engine to the history. */
  onHistoryCall: (call: NodeLogEvents['historyCall']) => void
  onReopenWanted: (mark: string) => void
  proxy: ProxyControl
}

type Options<J extends Jobs, Events> = Omit<EngineOptions<J, Events>, 'name' | 'script' | 'log'>

/** The engines of a node, supervised here, and the server that runs the service's jobs in them. */
export class NodeEngines {
  readonly server: EngineServer
  readonly logs: Engine<LogJobs, NodeLogEvents>
  readonly cache: Engine<CacheJobs>
  readonly datasources: readonly DatasourceConfig[]
  readonly #parts: Parts
  /** Asks for the node itself. */
  readonly #disk
  readonly #all: readonly { stop(): Promise<void> }[]
  #prefillRuns: PrefillRun[] = []
  #isConnected = false

  constructor(parts: Parts) {
    const { config, log, proxy } = parts
    const { dataPath, timeZone } = config
    this.#parts = parts
    this.datasources = config.datasources
    this.#disk = createDiskEngine({ log, clock: systemClock })
    const facts = createDatasources({ config, engine: this.#disk, clock: systemClock })
    const roots = async () => (await facts.all()).map(rootOf)
    this.logs = this.#logEngine()
    this.cache = this.#engine<CacheJobs>('cache', 'cache/cache.worker', {
      open: async (run) => run('start', { dataPath, roots: await roots() }),
      close: (run) => run('stop', null),
      isFatal: isDamageText,
    })
    const scan = (name: NodeEngine) =>
      this.#engine<LogScanJobs>(name, 'log-scan/log-scan.worker', { idleMs })
    const engines = {
      disk: this.#engine<DiskJobs>('disk', 'disk/disk.worker', { idleMs }),
      'log-scan': scan('log-scan'),
      'log-tails': scan('log-tails'),
      'log-counts': scan('log-counts'),
      cache: this.cache,
      logs: this.logs,
    }
    // Each knows its own jobs; here they are only started, stopped and asked by name.
    this.#all = Object.values(engines)
    const logStart = ({ prefillRuns }: { prefillRuns: PrefillRun[] }) => {
      this.#prefillRuns = prefillRuns
      return this.#startInput()
    }
    this.server = new EngineServer(
      {
        disk: servedBy(engines.disk),
        'log-scan': servedBy(engines['log-scan']),
        'log-tails': servedBy(engines['log-tails']),
        'log-counts': servedBy(engines['log-counts']),
        cache: servedBy(engines.cache),
        logs: servedBy(engines.logs),
        proxy: {
          run: (job) => (job === 'reopenLogs' ? proxy.reopenLogs() : proxy.availability()),
          end() {},
        },
      },
      createGuards({
        dataPath,
        timeZone,
        datasources: config.datasources,
        roots,
        logStart,
        canReopen: async () => (await proxy.availability()).canReopen,
      }),
    )
  }

  /** Rows can be sent. */
  async connected(): Promise<void> {
    this.#isConnected = true
    if (this.#isExternal) return
    await this.logs.run('connectService', null).catch(() => {})
  }

  /** The service answers as `answerCall` does. */
  answered(id: unknown, answer: unknown): void {
    if (!Number.isSafeInteger(id) || !isRecord(answer)) return
    const input = { id: Number(id), answer: answer as unknown as HistoryAnswer }
    void this.logs.run('historyAnswered', input).catch(() => {})
  }

  disconnected(): void {
    this.#isConnected = false
    this.server.disconnected()
    if (!this.#isExternal) void this.logs.run('serviceLost', null).catch(() => {})
  }

  async stop(): Promise<void> {
    this.#disk.stop()
    await Promise.all(this.#all.map((engine) => engine.stop()))
  }

  /** An external history, to which the node sends its rows itself; null: through the service. */
  async #server(): Promise<HistoryTarget | null> {
    if (!this.#isExternal) return null
    const { config, log } = this.#parts
    const server = createDatabaseServer(config, log)
    const signal = AbortSignal.timeout(serverMs)
    await server
      .start(signal, () => {})
      .catch((error: unknown) =>
        log.warn({ error: errorText(error) }, 'the history cannot be reached yet'),
      )
    return server.target()
  }

  get #isExternal(): boolean {
    return this.#parts.config.postgres.mode === 'external'
  }

  #engine<J extends Jobs, Events = object>(
    name: NodeEngine,
    script: string,
    options: Options<J, Events>,
  ): Engine<J, Events> {
    const log = this.#logOf(name)
    return new Engine<J, Events>({
      name,
      script: programScript(`engines/${script}`),
      log,
      hasSmallHeap: true,
      ...options,
    })
  }

  /** Log lines go to this process's log and to the service's. */
  #logOf(engine: NodeEngine): EngineLog {
    const { log } = this.#parts
    const write = (level: keyof EngineLog) => (facts: object, text: string) => {
      log[level](facts, text)
      this.server.forward(engine, { id: 0, kind: 'log', level, text, facts })
    }
    const [debug, info] = [write('debug'), write('info')]
    return { debug, info, warn: write('warn'), error: write('error') }
  }

  #logEngine(): Engine<LogJobs, NodeLogEvents> {
    const { onHistoryCall, onReopenWanted } = this.#parts
    const event = (name: keyof NodeLogEvents) => (data: unknown) =>
      this.server.forward('logs', { id: 0, kind: 'event', event: name, data })
    return this.#engine<LogJobs, NodeLogEvents>('logs', 'logs/logs.worker', {
      on: {
        status: event('status'),
        speeds: event('speeds'),
        shipped: event('shipped'),
        newTitles: event('newTitles'),
        prefillAddress: event('prefillAddress'),
        // The proxy is on this machine.
        reopenWanted: onReopenWanted,
        historyCall: onHistoryCall,
      },
      open: async (run) => {
        const damage = await run('start', this.#startInput())
        if (damage !== null) throw new Error(damage)
        const server = await this.#server()
        if (server !== null) await run('connect', server)
        else if (this.#isConnected) await run('connectService', null)
      },
      close: (run) => run('stop', null),
    })
  }

  #startInput() {
    const { config, place } = this.#parts
    const { dataPath, datasources, ingest, timeZone, prefillClients } = config
    const { slot, id } = place
    const known = { datasources, ingest, timeZone, prefillClients, slot, isSetUp: true }
    const own: IngestConfig = { ...known, prefillRuns: this.#prefillRuns }
    return { dataPath, config: structuredClone(own), installation: id }
  }
}

/** Jobs and inputs passed the guards, so the worker has them. */
const servedBy = (engine: {
  run(job: never, input: never, options: object): Promise<unknown>
  kill(): void
}): ServedEngine => ({
  run: (job, input, options) => engine.run(job as never, input as never, options),
  end: () => engine.kill(),
})
