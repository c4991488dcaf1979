import type { Database } from 'bun:sqlite'
import { DamagedStore } from '../../../db/damage.ts'
import { checkHot, openHot } from '../../../db/hot/open.ts'
import { createDescriber } from '../catalogue/describe.ts'
import { emitter, serveEngine, workerLog, type JobContext } from '../engine.ts'
import { wholeHistory, type HistoryPart } from '../shipper/link.ts'
import { NodeHistories } from '../shipper/node-histories.ts'
import { HistoryCalls, type HistoryAnswer, type HistoryCall } from '../shipper/service-history.ts'
import { createShipper, type Shipper } from '../shipper/shipper.ts'
import type { EmptyingRequest, ProcessProgress } from './contract.ts'
import type { HistoryTarget } from '../../../db/history/connect.ts'
import type { IngestStatus, MismatchChoice, SpeedSnapshot } from './wire.ts'
import type { LogRetentionInput } from './log-retention/wire.ts'
import { EngineLoop } from './engine-loop.ts'
import { HistoryLinkCheck } from './link/history-link-check.ts'
import type { PrefillRun, SeenMark } from './downloads/prefill-runs.ts'
import type { IngestConfig } from './ingest-config.ts'
import type { RemovalProgress, RemovalRequest } from './changes/removal-contract.ts'

const statusEveryMs = 500
/** Longest time that shipping is held: a snapshot needs seconds. */
const holdMs = 600_000

/** What no job waits for. */
export interface LogEvents {
  status: IngestStatus
  speeds: SpeedSnapshot
  /** Rows reached the history. */
  shipped: null
  /** Titles were among them; see `LogEngine.onNewTitles`. */
  newTitles: null
  /** The mark of a replaced file; see `LogEngine.onReopenWanted`. */
  reopenWanted: string
  /** See `LogEngine.onPrefillAddress`. */
  prefillAddress: SeenMark
}
/** On a node. */
export interface NodeLogEvents extends LogEvents {
  /** A call to the history of the service; `historyAnswered` answers it. */
  historyCall: { id: number; call: HistoryCall }
}
const emit = emitter<NodeLogEvents>()

let database: Database | null = null
let loop: EngineLoop | null = null
let shipper: Shipper | null = null
let keeper: HistoryLinkCheck | null = null
let history: HistoryTarget | HistoryCalls | null = null
let nodes: NodeHistories | null = null
/** Set on a node. */
const service = new HistoryCalls((call) => emit('historyCall', call))
let holdTimer: ReturnType<typeof setTimeout> | undefined
let statusTimer: ReturnType<typeof setInterval> | null = null

function running(): EngineLoop {
  if (loop === null) throw new Error('the log engine was not started')
  return loop
}

const nothingShipped = { lastShippedAt: null, lastError: null }
const emitStatus = () =>
  emit('status', running().status(shipper?.status() ?? nothingShipped, keeper?.mismatch))

const jobs = {
  /** Returns the problem of a damaged file, null when the engine runs. */
  start(input: { dataPath: string; config: IngestConfig; installation: string }): string | null {
    if (loop !== null) return null
    try {
      checkHot(input.dataPath, 'large')
      database = openHot(input.dataPath)
    } catch (error) {
      if (!(error instanceof DamagedStore)) throw error
      return `${error.message}. ${error.advice}`
    }
    const { config, installation } = input
    const events = {
      speeds: (snapshot: SpeedSnapshot) => emit('speeds', snapshot),
      committed: () => shipper?.kick(),
      reopenWanted: (mark: string) => emit('reopenWanted', mark),
      markSeen: (seen: SeenMark) => emit('prefillAddress', seen),
    }
    loop = new EngineLoop(database, { config, log: workerLog, events })
    const describeTitle = createDescriber(input.dataPath)
    loop.ingest.speeds.describeWith(describeTitle)
    nodes = new NodeHistories(describeTitle)
    const canEmpty = (config.slot ?? 0) === 0
    const link = new HistoryLinkCheck(loop, { installation, canEmpty, log: workerLog })
    keeper = link
    const { slot = 0, datasources } = config
    const names = datasources.map(({ name }) => name)
    shipper = createShipper({
      part: slot === 0 ? wholeHistory : { slot, datasources: names },
      check: (history) => link.check(history),
      outbox: loop.ingest.outbox,
      quarantine: loop.ingest.outbox.quarantine,
      describeTitle,
      log: (level, text) => workerLog[level](text),
      onShipped: () => emit('shipped', null),
      onNewTitles: () => emit('newTitles', null),
    })
    statusTimer = setInterval(emitStatus, statusEveryMs)
    loop.start()
    emitStatus()
    return null
  },
  connect(connection: HistoryTarget): void {
    history = connection
    nodes?.connect(connection)
    shipper?.connect(connection)
  },
  /** A node: its service is connected, and answers calls to the history. */
  connectService(_nothing: null): void {
    service.connected()
    history = service
    shipper?.connect(service)
  },
  historyAnswered: (input: { id: number; answer: HistoryAnswer }): void => service.answered(input),
  serviceLost: (_nothing: null): void => service.lost(),
  /** A call of a node of this service. */
  historyForNode: (input: { part: HistoryPart; call: HistoryCall }): Promise<HistoryAnswer> =>
    nodes?.answer(input.part, input.call) ??
    Promise.resolve({ kind: 'failed', text: 'The log engine was not started' }),
  async resolveMismatch({ choice }: { choice: MismatchChoice }): Promise<void> {
    // A new connection is checked, so there is nothing to wait for.
    await keeper?.choose(choice, () => history !== null && shipper?.connect(history))
    emitStatus()
  },
  async emptyHistory(input: EmptyingRequest): Promise<void> {
    await keeper?.empty(input, () => history !== null && shipper?.connect(history))
    emitStatus()
  },
  async holdShipping(_nothing: null): Promise<void> {
    clearTimeout(holdTimer)
    holdTimer = setTimeout(() => shipper?.release(), holdMs)
    await shipper?.hold()
  },
  releaseShipping(_nothing: null): void {
    clearTimeout(holdTimer)
    shipper?.release()
  },
  beginReading: (_nothing: null) => running().beginReading(),
  positions: (_nothing: null) => running().positions(),
  setPosition: (input: { datasource: string | null; to: 'beginning' | 'end' }) =>
    running().setPosition(input.datasource, input.to),
  process: (input: { datasource: string | null }, context: JobContext<ProcessProgress>) =>
    running().process(input.datasource, context),
  removeLines: (input: RemovalRequest, context: JobContext<RemovalProgress>) =>
    running().removeLines(input, context),
  deleteLogs: (input: { datasource: string }) => running().deleteLogs(input.datasource),
  logRetentionStatus: (input: LogRetentionInput) => running().logRetentionStatus(input),
  applyLogRetention: (input: LogRetentionInput, context: JobContext) =>
    running().applyLogRetention(input, context),
  untilShipped: (input: { withinMs: number }, context: JobContext) =>
    running().untilShipped(input.withinMs, context),
  setPrefillRuns: (runs: readonly PrefillRun[]) => running().setPrefillRuns(runs),
  setSlices: (sliceBytes: Readonly<Record<string, number>>) => running().setSlices(sliceBytes),
  reuseCurves: (_nothing: null) => running().ingest.accumulator.reuse.curves(),
  reopened: (input: { mark: string }) => running().reopened(input.mark),
  quarantine: (_nothing: null) => running().ingest.outbox.quarantine.list(),
  retryQuarantine(_nothing: null): number {
    const rows = running().ingest.outbox.quarantine.retry()
    shipper?.kick()
    return rows
  },
  countedRequests: (_nothing: null) => running().countedRequests(),
  async stop(_nothing: null): Promise<void> {
    if (statusTimer !== null) clearInterval(statusTimer)
    clearTimeout(holdTimer)
    nodes?.stop()
    await shipper?.stop()
    await loop?.stop()
    database?.close()
  },
}

export type LogJobs = typeof jobs

serveEngine(jobs)
