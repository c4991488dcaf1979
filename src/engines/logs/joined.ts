import { added } from '../../core/lib/added.ts'
import { errorText } from '../../core/lib/error-text.ts'
import { isHere, Machines, summed, type NodeHost, type NodeHosts } from '../remote/hosts.ts'
import {
  emptySpeeds,
  nothingRetained,
  type LogEngine,
  type ProcessOutcome,
  type ProcessProgress,
} from './contract.ts'
import type { LogRetentionOutcome } from './log-retention/wire.ts'
import type { PrefillRun } from './downloads/prefill-runs.ts'
import type { IngestStatus, SourcePositions, SpeedSnapshot } from './wire.ts'

/** The first of these that an engine is in is the state of all. */
const states: readonly IngestStatus['state'][] = [
  'storage_damaged',
  'storage_failed',
  'mismatch',
  'paused_outbox_full',
  'stopped',
  'starting',
  'awaiting_setup',
  'reading',
  'following',
]

interface Reported {
  /** Null: this machine. */
  node: string | null
  status: IngestStatus
}

const saidBy = (node: string | null, text: string | null): string | null =>
  text === null || node === null ? text : `${node}: ${text}`

/** One status for all engines. */
function joinStatus(own: IngestStatus, others: readonly Reported[]): IngestStatus {
  if (others.length === 0) return own
  const all: Reported[] = [{ node: null, status: own }, ...others]
  const statuses = all.map(({ status }) => status)
  const outboxes = statuses.map(({ outbox }) => outbox)
  const rank = ({ status }: Reported) => states.indexOf(status.state)
  const [worst = all[0]] = all.toSorted((a, b) => rank(a) - rank(b))
  const failing = all.find(({ status }) => status.outbox.lastError !== null)
  const percents = statuses.flatMap(({ firstReadPercent }) => firstReadPercent ?? [])
  const shipped = outboxes.flatMap(({ lastShippedAt }) => lastShippedAt ?? [])
  return {
    state: worst?.status.state ?? own.state,
    message: saidBy(worst?.node ?? null, worst?.status.message ?? null),
    mismatch: statuses.find(({ mismatch }) => mismatch !== null)?.mismatch ?? null,
    backlogBytes: statuses.reduce((total, { backlogBytes }) => total + backlogBytes, 0),
    firstReadPercent: percents.length === 0 ? null : Math.min(...percents),
    lagMs: Math.max(...statuses.map(({ lagMs }) => lagMs)),
    outbox: {
      ...outboxes.reduce(added),
      lagSeconds: Math.max(...outboxes.map(({ lagSeconds }) => lagSeconds)),
      lastShippedAt: shipped.toSorted().at(-1) ?? null,
      lastError: saidBy(failing?.node ?? null, failing?.status.outbox.lastError ?? null),
      isStuck: outboxes.some(({ isStuck }) => isStuck),
    },
    limits: statuses.flatMap(({ limits }) => limits),
  }
}

/** One snapshot for all engines; a client of two caches is one client. */
function joinSpeeds(all: readonly SpeedSnapshot[]): SpeedSnapshot {
  const [own = emptySpeeds(new Date()), ...others] = all.filter(
    ({ hasActiveDownloads }, at) => at === 0 || hasActiveDownloads,
  )
  if (others.length === 0) return own
  const active = [own, ...others]
  const clients = new Map<string, SpeedSnapshot['clientSpeeds'][number]>()
  for (const client of active.flatMap(({ clientSpeeds }) => clientSpeeds)) {
    const known = clients.get(client.clientIp)
    clients.set(client.clientIp, known === undefined ? client : added(known, client))
  }
  const fastest = (a: { bytesPerSecond: number }, b: { bytesPerSecond: number }) =>
    b.bytesPerSecond - a.bytesPerSecond
  return {
    ...active.reduce(added),
    timestampUtc: new Date().toISOString(),
    gameSpeeds: active.flatMap(({ gameSpeeds }) => gameSpeeds).toSorted(fastest),
    clientSpeeds: [...clients.values()].toSorted(fastest),
    windowSeconds: own.windowSeconds,
    hasActiveDownloads: active.some(({ hasActiveDownloads }) => hasActiveDownloads),
  }
}

const ends: readonly ProcessOutcome['terminalStatus'][] = [
  'failed',
  'cancelled',
  'partial',
  'completed_with_warnings',
  'completed',
]

function joinOutcomes(outcomes: readonly ProcessOutcome[]): ProcessOutcome {
  const rank = ({ terminalStatus }: ProcessOutcome) => ends.indexOf(terminalStatus)
  const [worst] = outcomes.toSorted((a, b) => rank(a) - rank(b))
  return {
    ...outcomes.reduce(added),
    terminalStatus: worst?.terminalStatus ?? 'completed',
    elapsedMs: Math.max(...outcomes.map(({ elapsedMs }) => elapsedMs)),
  }
}

type Logs = Machines<'logs'>
/** Names of the methods of a part. */
type Part<Name extends keyof LogEngine> = Pick<LogEngine, Name>

/** Answers of nodes that fail are left out. */
async function lists<T>(logs: Logs, ask: (engine: LogEngine) => Promise<T[]>): Promise<T[]> {
  const own = await ask(logs.local)
  const others = logs.others().map((engine) => ask(engine).catch(() => []))
  return [...own, ...(await Promise.all(others)).flat()]
}

async function sums(logs: Logs, ask: (engine: LogEngine) => Promise<number>): Promise<number> {
  const all = await Promise.all(logs.all().map(ask))
  return all.reduce((sum, one) => sum + one, 0)
}

const each = async (logs: Logs, work: (engine: LogEngine) => Promise<void>): Promise<void> =>
  void (await Promise.all(logs.all().map(work)))

/** The positions of a node that is away. */
const unreachable = (position: SourcePositions, text: string): SourcePositions => ({
  ...position,
  missingSourcesMessage: text,
  problem: 'node_away',
})

async function process(
  logs: Logs,
  datasource: string | null,
  { signal, progress }: { signal: AbortSignal; progress: (report: ProcessProgress) => void },
): Promise<ProcessOutcome> {
  if (datasource !== null) return logs.of(datasource).process(datasource, { signal, progress })
  const engines = logs.all()
  if (engines.length === 1) return logs.local.process(null, { signal, progress })
  const reporter = summed<ProcessProgress>((sum) => {
    const { mbTotal, mbProcessed } = sum
    const percentComplete = mbTotal === 0 ? 100 : Math.min(100, (100 * mbProcessed) / mbTotal)
    progress({ ...sum, percentComplete })
  })
  const runs = engines.map((engine) => engine.process(null, { signal, progress: reporter() }))
  return joinOutcomes(await Promise.all(runs))
}

/** On all machines at once; one that fails does not end the others. */
const applyRetention =
  (logs: Logs): LogEngine['applyLogRetention'] =>
  async (input, run) => {
    const failed = (host: NodeHost, error: unknown): LogRetentionOutcome => ({
      ...nothingRetained(),
      refused: host
        .datasources()
        .map((datasource) => ({ datasource, file: '*', reason: errorText(error) })),
    })
    const nodes = logs
      .here()
      .map((host) =>
        host.logs.applyLogRetention(input, run).catch((error: unknown) => failed(host, error)),
      )
    const all = await Promise.all([logs.local.applyLogRetention(input, run), ...nodes])
    return {
      ...all.reduce(added),
      isCancelled: all.some(({ isCancelled }) => isCancelled),
      refused: all.flatMap(({ refused }) => refused),
    }
  }

/** Events of all engines, and speeds, to which a node that goes away no longer adds. */
function joinEvents(
  logs: Logs,
): Part<'speeds' | 'onSpeeds' | 'onShipped' | 'onNewTitles' | 'onPrefillAddress'> {
  const { local, hosts } = logs
  const speeds = () => joinSpeeds(logs.all().map((engine) => engine.speeds()))
  const listeners = new Set<(snapshot: SpeedSnapshot) => void>()
  const publish = () => listeners.forEach((listener) => listener(speeds()))
  local.onSpeeds(publish)
  hosts.onHost((host) => host.logs.onSpeeds(publish))
  hosts.onChange(publish)
  return {
    speeds,
    onSpeeds: (listener) => void listeners.add(listener),
    onShipped(listener) {
      local.onShipped(listener)
      hosts.onHost((host) => host.logs.onShipped(listener))
    },
    onNewTitles(listener) {
      local.onNewTitles(listener)
      hosts.onHost((host) => host.logs.onNewTitles(listener))
    },
    onPrefillAddress(listener) {
      local.onPrefillAddress(listener)
      hosts.onHost((host) => host.logs.onPrefillAddress(listener))
    },
  }
}

/** What groups set; a node that connects later gets it, too. */
function joinFacts(logs: Logs): Part<'setPrefillRuns' | 'setSlices'> {
  let runs: readonly PrefillRun[] = []
  let slices: Readonly<Record<string, number>> = {}
  logs.hosts.onChange((host) => {
    if (!isHere(host)) return
    host.logs.setPrefillRuns(runs)
    host.logs.setSlices(slices)
  })
  return {
    setPrefillRuns(given) {
      runs = given
      for (const engine of logs.all()) engine.setPrefillRuns(given)
    },
    setSlices(given) {
      slices = given
      for (const engine of logs.all()) engine.setSlices(given)
    },
  }
}

/** What concerns rows on their way to the history. */
const joinRows = (
  logs: Logs,
): Part<
  | 'untilShipped'
  | 'quarantine'
  | 'retryQuarantine'
  | 'resolveMismatch'
  | 'holdShipping'
  | 'releaseShipping'
  | 'emptyHistory'
> => ({
  async untilShipped(withinMs) {
    const all = await Promise.all(logs.all().map((engine) => engine.untilShipped(withinMs)))
    return all.every((isShipped) => isShipped)
  },
  async quarantine() {
    const all = await Promise.all(logs.all().map((engine) => engine.quarantine()))
    return {
      total: all.reduce((sum, { total }) => sum + total, 0),
      rows: all.flatMap(({ rows }) => rows),
    }
  },
  retryQuarantine: () => sums(logs, (engine) => engine.retryQuarantine()),
  resolveMismatch(choice) {
    const engine = logs.all().find((one) => one.status().mismatch !== null)
    return (engine ?? logs.local).resolveMismatch(choice)
  },
  holdShipping: () => each(logs, (engine) => engine.holdShipping()),
  releaseShipping: () => each(logs, (engine) => engine.releaseShipping()),
  async emptyHistory(request) {
    await logs.local.emptyHistory(request)
    await Promise.all(logs.others().map((engine) => engine.emptyHistory(request)))
  },
})

/** One log engine of this machine and all nodes. The history is this machine's. */
export function joinLogs(local: LogEngine, hosts: NodeHosts): LogEngine {
  const logs = new Machines('logs', local, hosts)
  return {
    ...local,
    ...joinEvents(logs),
    ...joinFacts(logs),
    ...joinRows(logs),
    status: () =>
      joinStatus(
        local.status(),
        logs.here().map((host) => ({ node: host.name, status: host.logs.status() })),
      ),
    positions: logs.lists((engine) => engine.positions(), unreachable),
    setPosition: (datasource, to) =>
      datasource === null
        ? sums(logs, (engine) => engine.setPosition(null, to))
        : logs.of(datasource).setPosition(datasource, to),
    process: (datasource, run) => process(logs, datasource, run),
    countedRequests: () => lists(logs, (engine) => engine.countedRequests()),
    removeLines: (request, run) => logs.of(request.datasource).removeLines(request, run),
    deleteLogs: (datasource) => logs.of(datasource).deleteLogs(datasource),
    logRetentionStatus: (input) => lists(logs, (engine) => engine.logRetentionStatus(input)),
    applyLogRetention: applyRetention(logs),
    reuseCurves: () => lists(logs, (engine) => engine.reuseCurves()),
    forceKill: () => each(logs, (engine) => engine.forceKill()),
  }
}
