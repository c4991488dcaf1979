import { requireChoice } from '../../core/http/choice.ts'
import { AppError, unavailable, orNotFound } from '../../core/http/errors.ts'
import type { OperationResult } from '../../core/operations/contract.ts'
import type { CatalogueParts } from '../parts.ts'
import { type Depots, serviceKey } from './create.ts'
import { createDepotSettings, wireModes } from './crawl-settings.ts'
import type { DepotStatus, IncrementalCheck, RebuildStarted, RebuildProgress } from './model.ts'
import { awayOf, fullNeededText } from './viability.ts'
import { alphaAccount } from './alpha-access.ts'
import { phaseTexts } from './state.ts'

/** The current run, or the last one, as the API describes it. */
async function progressOf(deps: CatalogueParts, depots: Depots): Promise<RebuildProgress> {
  const { catalogue, settings, schedules } = deps
  const { state } = depots
  const operation = depots.active()
  const { mappings } = await catalogue.status()
  const { totalBatches, processedBatches } = state
  const hours = settings.get('depots.crawlIntervalHours')
  const nextMs = schedules.nextRunMs(serviceKey)
  const lastRun = settings.get('depots.lastRun')
  return {
    isProcessing: operation !== null,
    status: state.phase,
    statusDisplay: phaseTexts[state.phase],
    totalApps: state.totalApps,
    processedApps: state.processedApps,
    totalBatches,
    processedBatches,
    progressPercent: totalBatches === 0 ? 0 : (processedBatches * 100) / totalBatches,
    depotMappingsFound: mappings,
    depotMappingsFoundInSession: state.depotMappingsFoundInSession,
    isReady: mappings > 0 && operation === null,
    lastCrawlTime: lastRun?.at ?? null,
    nextCrawlIn: Math.round((nextMs ?? hours * 3_600_000) / 1000),
    crawlIntervalHours: hours,
    crawlIncrementalMode: wireModes[settings.get('depots.crawlMode')],
    lastScanWasForced: state.wasForced,
    automaticScanSkipped: state.pendingFullScan !== null,
    isConnected: state.isConnected,
    isLoggedOn: state.isConnected && alphaAccount(deps) !== null,
    errorMessage: state.error ?? lastRun?.error ?? null,
    isWebApiAvailable: deps.alpha.lists.last()?.isAvailable ?? false,
    operationId: operation?.id ?? null,
    showNotification: operation !== null && !operation.isSilent,
  }
}

const noListUrl =
  'Alpha__DepotListUrl is not set: name the address of a list there, or import a local list'

const notStarted = {
  changeGap: null,
  estimatedApps: null,
  message: null,
  viabilityError: null,
  stageKey: null,
  context: null,
}

const needsFull = (check: IncrementalCheck): RebuildStarted => ({
  started: false,
  requiresFullScan: true,
  changeGap: check.changeGap,
  estimatedApps: check.estimatedAppsToScan,
  viabilityError: check.error,
  ...(check.error === null
    ? { message: fullNeededText, stageKey: null, context: null }
    : awayOf(check.error)),
  operationId: null,
})

/** What the endpoints of the depots do. */
export function createDepotService(deps: CatalogueParts, depots: Depots) {
  const { catalogue, clock, operations } = deps
  const timestamp = () => clock.now().toISOString()

  /** Waits for a run that the caller gets the result of; throws `unavailable` when it failed. */
  async function finished(done: Promise<OperationResult>): Promise<string> {
    const result = await done
    if (result.kind === 'failed') throw unavailable(result.error, 60)
    if (result.kind !== 'completed') throw unavailable('It was cancelled', 5)
    return result.message ?? ''
  }

  return {
    async status(): Promise<DepotStatus> {
      const { file, mappings, depots: depotCount } = await catalogue.status()
      const isRebuildRunning = depots.active() !== null
      return {
        jsonFile: { ...file, needsUpdate: mappings === 0 && file.totalMappings === 0 },
        database: { totalMappings: mappings },
        alphaLibrary: { isReady: mappings > 0 && !isRebuildRunning, isRebuildRunning, depotCount },
      }
    },

    checkIncremental: (signal: AbortSignal): Promise<IncrementalCheck> =>
      depots.viability.read(signal),

    progress: () => progressOf(deps, depots),

    /** Throws `conflict` while another run is active. */
    async rebuild(isIncremental: boolean, signal: AbortSignal): Promise<RebuildStarted> {
      if (isIncremental) {
        const check = await depots.viability.read(signal)
        if (!check.isViable) return needsFull(check)
      }
      const { queued } = depots.begin(isIncremental ? 'incremental' : 'full')
      return {
        ...notStarted,
        started: true,
        requiresFullScan: false,
        message: 'The crawl has started',
        operationId: queued.operationId,
      }
    },

    /** Throws `notFound` when none runs. */
    cancel() {
      operations.cancel(orNotFound(depots.active(), 'No depots are being mapped').id)
      return { success: true, message: 'The crawl is being cancelled' }
    },

    ...createDepotSettings(deps, depots),

    /** Answers when the import is over. Throws `conflict`, `invalid`, `unavailable`. */
    async import(asked: string | undefined) {
      const source = requireChoice(['github', 'local'], asked, 'source')
      if (source === 'github' && deps.config.alpha.depotListUrl === null) {
        throw new AppError('invalid', noListUrl)
      }
      const message = await finished(depots.begin(source).done)
      return { message, source: source === 'github' ? 'GitHub' : 'Local', timestamp: timestamp() }
    },

    /** Answers when all names are applied. Throws `conflict`, `unavailable`. */
    async apply() {
      return { message: await finished(depots.begin('apply').done), timestamp: timestamp() }
    },
  }
}

export type DepotService = ReturnType<typeof createDepotService>
