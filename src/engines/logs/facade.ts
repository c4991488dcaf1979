/*
 * Owns `hot.sqlite`: read positions, open downloads, counters, outbox, quarantine. Parses access
 * logs, sums traffic, reports live speeds, removes lines, and keeps log files (rotation and
 * retention).
 *
 * One transaction per batch of log lines. Positions, open downloads, traffic sums, counters and
 * the outbox change together. Whatever dies, the file says exactly how far reading got.
 *
 * A log file is identified by its content. A position belongs to the first KiB of a file
 * (decompressed), not to its name or inode. A rename, a copy (`copytruncate`), a compression and a
 * date suffix are then the same case: the content is known, and only the part after the position
 * is new.
 *
 * A new installation waits. Without `LogProcessing__StartAt` nothing is read before the first-run
 * set-up was completed, or processing was asked for. `PATCH /api/logs/position` stores the choice
 * for each datasource in `hot.sqlite` and registers the log files before it answers: "from now" is
 * the end of each log at that moment, and survives a kill. A folder that is missing then is
 * skipped to its end when it is found. Without a choice reading starts at the beginning. A
 * `hot.sqlite` that was in use before, a completed set-up and a resolved mismatch wait for nothing
 * (`first-start.ts`).
 *
 * A log that cannot be read is a problem of its datasource. It is the newest file of its series
 * that counts: without permission, or with a directory or a pipe in its place, nothing new is
 * counted, so the status is not healthy and says which command helps. It ends by itself. Older
 * files in that state are named in the service's log only.
 *
 * Resetting a position never counts twice. "End" remembers the byte ranges it skips; "beginning"
 * reads those ranges and nothing else. Counted bytes are never counted again, so no index of
 * requests is needed to find duplicates.
 *
 * A log line is removed only after it was counted. A removal reads a file first and then leaves it
 * alone, deletes it, or writes a new version beside it and renames that over it. The position
 * moves in the same operation, and a crash leaves the old or the new file. Lines that were not
 * counted yet are copied unchanged, so no total ever changes. A line that the proxy writes to the
 * old version before it reopens its log is counted but is in no file afterwards; if the service
 * dies at that moment, such lines are lost. The proxy is therefore signalled at once, and again
 * after a start. The former beginning of a file stays known, so an old copy that comes back is not
 * counted again. Mode, owner and times are kept; access control lists and other attributes are
 * not. A file whose owner cannot be kept is refused.
 *
 * Log rotation and retention are off by default. A file is deleted only when all of it was counted
 * and every row from before that moment has reached the history. Skipped ranges, copies, and files
 * that do not begin with a line of a known format are never touched. A compressed copy is read
 * back before its original is deleted.
 *
 * Stores that disagree are not guessed about. `hot.sqlite` and the history both carry an
 * installation id, an epoch and the number of the last batch. They are compared on every new
 * connection and again inside each batch. A new or empty `hot.sqlite` takes the read positions
 * from its own history. In all other cases (an older `hot.sqlite`; an older, empty or foreign
 * history) reading stops, the status says why, and an administrator chooses: continue where the
 * history stands, count from now on, or empty the history and count again (`POST
 * /api/ext/history-link`). Taking positions begins a new epoch, so a copy of `hot.sqlite` that
 * turns up later is refused. Counting from now on does not remember what it skips, because that
 * may have been counted; after the history was emptied it does.
 *
 * Forged names are bounded. The service of a line comes from a Host header and a title from a
 * path; any client can invent both. A day has at most 200 services beside the known ones and 10
 * 000 titles; the rest counts for one service "other", or without a title, so sums stay right. A
 * byte count above 1 TiB or a time before 2000 is refused and counted as such. A line that is more
 * than two days ahead counts at the time it is read.
 *
 * `isActive` is derived. A download is active while its last byte is younger than 15 seconds. No
 * flag has to be cleared, so no download can stay active by mistake.
 *
 * Damaged SQLite files. All stores are checked with `PRAGMA quick_check` at start; a `hot.sqlite`
 * above 64 MiB and the cache index are checked by their workers. The index is moved aside and
 * rebuilt; `state.sqlite` and `hot.sqlite` lead to the diagnosis page.
 */
import type { Config } from '../../core/config.ts'
import type { Logger } from '../../core/lib/log.ts'
import type { Launch } from '../engine.ts'
import { Engine, EngineEnded } from '../host.ts'
import { emptySpeeds, type LogEngine } from './contract.ts'
import type { PrefillRun, SeenMark } from './downloads/prefill-runs.ts'
import type { IngestConfig } from './ingest-config.ts'
import type { HistoryTarget } from '../../../db/history/connect.ts'
import type { IngestStatus, SpeedSnapshot } from './wire.ts'
import type { LogEvents, LogJobs } from './logs.worker.ts'
import { errorText } from '../../core/lib/error-text.ts'
import { programScript } from '../../core/lib/program-files.ts'

/** Before the worker has reported. */
export const startingStatus: IngestStatus = {
  state: 'starting',
  message: null,
  mismatch: null,
  backlogBytes: 0,
  firstReadPercent: null,
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
    prefillAddress: new Set<(seen: SeenMark) => void>(),
  }
  const reports = {
    status: startingStatus,
    speeds: emptySpeeds(new Date()),
    listen: {
      onSpeeds: (listener) => void listeners.speeds.add(listener),
      onShipped: (listener) => void listeners.shipped.add(listener),
      onNewTitles: (listener) => void listeners.newTitles.add(listener),
      onReopenWanted: (listener) => void listeners.reopenWanted.add(listener),
      onPrefillAddress: (listener) => void listeners.prefillAddress.add(listener),
    } satisfies Partial<LogEngine>,
    on: {
      status: (status: IngestStatus) => void (reports.status = status),
      speeds(speeds: SpeedSnapshot) {
        reports.speeds = speeds
        for (const listener of listeners.speeds) listener(speeds)
      },
      shipped: () => listeners.shipped.forEach((listener) => listener()),
      newTitles: () => listeners.newTitles.forEach((listener) => listener()),
      reopenWanted: (mark: string) => listeners.reopenWanted.forEach((listener) => listener(mark)),
      prefillAddress: (seen: SeenMark) => listeners.prefillAddress.forEach((one) => one(seen)),
    },
  }
  return reports
}

/** A store that cannot be used is a state of the engine. */
function refuse(
  reports: { status: IngestStatus },
  state: 'storage_failed' | 'storage_damaged',
  message: string,
): never {
  reports.status = { ...startingStatus, state, message }
  throw new Error(message)
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
    reuseCurves: () => engine.run('reuseCurves', null),
    retryQuarantine: () => engine.run('retryQuarantine', null),
    logsReopened: (mark) => engine.run('reopened', { mark }),
    emptyHistory: (request) => engine.run('emptyHistory', request),
    holdShipping: () => engine.run('holdShipping', null),
    releaseShipping: () => engine.run('releaseShipping', null),
    resolveMismatch: (choice) => engine.run('resolveMismatch', { choice }),
    historyForNode: (part, call) => engine.run('historyForNode', { part, call }),
  }) satisfies Partial<LogEngine>

/** Facts from other groups; a worker that starts later gets them, too. */
function createFacts(
  engine: Engine<LogJobs, LogEvents>,
  send: (job: () => Promise<unknown>, message: string) => void,
) {
  const known: Pick<IngestConfig, 'prefillRuns' | 'sliceBytes'> = {}
  return {
    known,
    setPrefillRuns: (runs: readonly PrefillRun[]) => {
      known.prefillRuns = runs
      send(() => engine.run('setPrefillRuns', runs), 'runs of prefill are unknown')
    },
    setSlices: (sliceBytes: Readonly<Record<string, number>>) => {
      known.sliceBytes = sliceBytes
      send(() => engine.run('setSlices', sliceBytes), 'slice sizes are unknown')
    },
  }
}

/** The installation that an engine reads for. */
interface Installation {
  /** Identifies the data folder: positions are taken only from a history that it filled. */
  id: string
  /** Whether the first-run set-up was ever completed. */
  isSetUp(): boolean
}

const ownInstallation: Installation = { id: '', isSetUp: () => true }

const warner = (log: Logger) => (job: Promise<unknown>, message: string) =>
  void job.catch((error: unknown) => log.warn({ error: errorText(error) }, message))

/**
 * The log engine of a node, which has its own configuration: what `start` sends besides the runs of
 * prefill is not used there.
 */
export const createRemoteLogEngine = (config: Config, log: Logger, launch: Launch): LogEngine =>
  createLogEngine(
    { ...config, dataPath: '', datasources: [], prefillClients: [] },
    log,
    ownInstallation,
    launch,
  )

/** The log engine and its worker. Idle until `start`. */
export function createLogEngine(
  config: Config,
  log: Logger,
  installation: Installation = ownInstallation,
  launch?: Launch,
): LogEngine {
  const { dataPath, datasources, ingest, timeZone, prefillClients } = config
  const reports = createReports()
  const warn = warner(log)
  let connection: HistoryTarget | null = null
  let stage: 'stopped' | 'opening' | 'open' = 'stopped'

  const engine = new Engine<LogJobs, LogEvents>({
    name: 'logs',
    script: programScript('engines/logs/logs.worker'),
    log,
    launch,
    hasSmallHeap: true,
    on: reports.on,
    async open(run) {
      stage = 'opening'
      reports.status = startingStatus
      const isSetUp = installation.isSetUp()
      const known = { datasources, ingest, timeZone, prefillClients, ...facts.known, isSetUp }
      const input = { dataPath, config: structuredClone(known), installation: installation.id }
      const damage = await run('start', input).catch((error: unknown) => {
        if (error instanceof EngineEnded) throw error
        return refuse(reports, 'storage_failed', errorText(error))
      })
      if (damage !== null) refuse(reports, 'storage_damaged', damage)
      stage = 'open'
      if (connection !== null) await run('connect', connection)
    },
    close: (run) => run('stop', null),
    onCrash(message) {
      reports.status = { ...reports.status, state: 'starting', message }
    },
  })

  const facts = createFacts(engine, (job, message) => {
    if (stage === 'open') warn(job(), message)
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
      if (stage === 'open') warn(engine.run('connect', target), 'the shipper has no history')
    },
    setPrefillRuns: facts.setPrefillRuns,
    setSlices: facts.setSlices,
    beginReading() {
      // The next start asks `isSetUp`.
      if (stage === 'stopped') return
      warn(engine.run('beginReading', null), 'log reading begins with the next start')
    },
    status: () => reports.status,
    speeds: () => reports.speeds,
    ...reports.listen,
    ...jobsOf(engine),
    forceKill: () => engine.restart(),
  }
}
