import { HistoryUnavailable } from '../../../db/history/history.ts'
import type { CrawlProgress, ImportProgress, CrawlKind } from '../../engines/catalogue/contract.ts'
import type {
  OperationContext,
  OperationProgress,
  OperationResult,
} from '../../core/operations/contract.ts'
import type { CatalogueParts } from '../parts.ts'
import { webApiKey } from '../alpha/web-api/lists.ts'
import { alphaAccess } from './alpha-access.ts'
import { applyNames, downloadedDepots } from './apply.ts'
import { noteFault } from './session-fault.ts'
import { connectAttempts, type MappingMode, type RunState, type ScanPhase } from './state.ts'

const stage = (name: string) => `signalr.depotMapping.${name}`

const stages: Partial<Record<ScanPhase, string>> = {
  saving: 'saving',
  resolvingOrphans: 'resolvingOrphans',
  importing: 'importing',
  refreshingCatalog: 'github.downloading',
  applyingMappings: 'applyingToDownloads',
}
const percents: Partial<Record<CrawlProgress['phase'], number>> = {
  saving: 80,
  resolvingOrphans: 85,
}

/** What a run needs besides the group's parts. */
export interface RunParts {
  deps: CatalogueParts
  state: RunState
  /** Names of downloads changed. */
  named: () => void
}

/** How the mappings were read; `mappings` is their number afterwards. */
type Read = { kind: 'read'; mappings: number } | { kind: 'ended'; result: OperationResult }

function reporter({ state }: RunParts, mode: MappingMode, context: OperationContext) {
  return (phase: ScanPhase, percent: number, more: Record<string, unknown> = {}) => {
    state.phase = phase
    const { totalApps, processedApps, totalBatches, processedBatches } = state
    const facts = {
      status: phase,
      scanMode: mode === 'full' || mode === 'github' ? mode : 'incremental',
      totalApps,
      processedApps,
      remainingApps: totalApps - processedApps,
      totalBatches,
      processedBatches,
      failedBatches: state.failedBatches,
      depotMappingsFound: state.depotMappingsFound,
      isReconnecting: state.isReconnecting,
      reconnectAttempt: state.reconnectAttempt,
      maxReconnectAttempts: connectAttempts,
      isLoggedOn: state.isConnected,
      ...more,
    }
    const report: OperationProgress = {
      stageKey: stage(stages[phase] ?? 'batchProgress'),
      percentComplete: percent,
      context: facts,
      fields: facts,
    }
    context.report(report)
  }
}

type Say = ReturnType<typeof reporter>

const ended = (result: OperationResult): Read => ({ kind: 'ended', result })

const failed = (state: RunState, error: string): Read => {
  state.error = error
  return ended({ kind: 'failed', error, stageKey: stage('failed'), fields: { message: error } })
}

/** While the history is away there is nothing to resolve. */
const depotsOf = (deps: CatalogueParts): Promise<number[]> =>
  downloadedDepots(deps).catch((error: unknown) => {
    if (error instanceof HistoryUnavailable) return []
    throw error
  })

async function crawl(
  parts: RunParts,
  kind: CrawlKind,
  run: { say: Say; signal: AbortSignal },
): Promise<Read> {
  const { deps, state } = parts
  const request = {
    kind,
    access: alphaAccess(deps),
    webApi: { baseUrl: deps.config.alpha.webApiBaseUrl, key: webApiKey(deps) },
    depotIds: await depotsOf(deps),
  }
  const progress = ({ phase, ...facts }: CrawlProgress) => {
    Object.assign(state, facts)
    const share = facts.processedBatches / Math.max(1, facts.totalBatches)
    run.say(phase, percents[phase] ?? share * 75)
  }
  const outcome = await deps.catalogue.crawl(request, { signal: run.signal, progress })
  Object.assign(state, { isConnected: false, isReconnecting: false })
  if (outcome.kind === 'done') return { kind: 'read', mappings: outcome.mappings } as const
  if (outcome.kind === 'cancelled') return ended({ kind: 'cancelled' })
  if (outcome.kind === 'failed') {
    const isSignedOut = outcome.fault !== null && noteFault(deps, outcome.fault, true)
    return isSignedOut ? crawl(parts, kind, run) : failed(state, outcome.reason)
  }
  state.wasForced = true
  return failed(state, 'Steam no longer knows what changed since the last crawl: run a full one')
}

async function takeList(
  parts: RunParts,
  mode: 'github' | 'local',
  run: { say: Say; signal: AbortSignal },
): Promise<Read> {
  const { deps, state } = parts
  const url = mode === 'github' ? deps.config.alpha.depotListUrl : null
  const progress = ({ phase, bytes, totalBytes, mappings }: ImportProgress) => {
    const share = Math.min(1, bytes / Math.max(bytes, totalBytes, 1))
    const facts = { processedMappings: mappings, mbDownloaded: Math.round(bytes / 1e6) }
    if (phase === 'downloading') run.say('refreshingCatalog', 2 + 20 * share, facts)
    else run.say('importing', 22 + 68 * share, facts)
  }
  const outcome = await deps.catalogue.importList({ url }, { signal: run.signal, progress })
  if (outcome.kind === 'cancelled') return ended({ kind: 'cancelled' })
  if (outcome.kind === 'failed') return failed(state, outcome.reason)
  const mappings = outcome.kind === 'missing' ? 0 : outcome.mappings
  state.depotMappingsFound = mappings
  return { kind: 'read', mappings }
}

async function stored({ deps }: RunParts): Promise<Read> {
  const { mappings } = await deps.catalogue.status()
  return { kind: 'read', mappings }
}

/** Asks Steam for the depots of downloads without a mapping; without any, asks nothing. */
async function crawlNeeded(parts: RunParts, run: { say: Say; signal: AbortSignal }): Promise<Read> {
  const depots = await depotsOf(parts.deps)
  return depots.length > 0 ? crawl(parts, 'needed', run) : stored(parts)
}

/** Without a list and without any mapping, the depots of downloads are asked for one by one. */
async function read(parts: RunParts, mode: MappingMode, run: { say: Say; signal: AbortSignal }) {
  if (mode === 'local') return takeList(parts, mode, run)
  if (mode !== 'github') return crawl(parts, mode, run)
  if (parts.deps.config.alpha.depotListUrl === null) return crawlNeeded(parts, run)
  const listed = await takeList(parts, mode, run)
  if (listed.kind === 'read' || listed.result.kind !== 'failed') return listed
  const { mappings } = await parts.deps.catalogue.status()
  const depots = mappings === 0 ? await depotsOf(parts.deps) : []
  if (depots.length === 0) return listed
  parts.deps.log.info({ reason: listed.result.error }, 'no list of Steam’s depots; asking Steam')
  return crawl(parts, 'needed', run)
}

/** One run: reads mappings, then gives downloads their names. */
export async function runMapping(
  parts: RunParts,
  mode: MappingMode | 'apply',
  context: OperationContext,
): Promise<OperationResult> {
  const { deps } = parts
  const { signal } = context
  const say = reporter(parts, mode === 'apply' ? 'local' : mode, context)
  const outcome = mode === 'apply' ? await stored(parts) : await read(parts, mode, { say, signal })
  if (outcome.kind === 'ended') return outcome.result
  const { mappings } = outcome
  let downloadsUpdated = 0
  // As the API documents it, a list on disk is not applied.
  if (mode !== 'local') {
    say('applyingMappings', 95)
    const progress = (processedMappings: number) =>
      say('applyingMappings', 97, { processedMappings })
    try {
      const applied = await applyNames(deps, { signal, progress })
      downloadsUpdated = applied.downloads
      if (applied.titles > 0) parts.named()
    } catch (error) {
      // The next run applies them.
      if (mode === 'apply' || !(error instanceof HistoryUnavailable)) throw error
    }
  }
  if (signal.aborted) return { kind: 'cancelled' }
  const fields = { totalMappings: mappings, downloadsUpdated }
  const stageKey = stage(mode === 'github' ? 'github.complete' : 'finalized')
  const message = `${mappings} mappings; ${downloadsUpdated} downloads got another name`
  return { kind: 'completed', stageKey, context: fields, message, fields: { ...fields, message } }
}
