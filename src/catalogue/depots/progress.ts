import type { CatalogueParts } from '../parts.ts'
import { alphaAccount } from './alpha-access.ts'
import { wireModes } from './crawl-settings.ts'
import { serviceKey, type Depots } from './create.ts'
import type { RebuildProgress } from './model.ts'
import { phaseTexts } from './state.ts'
import type { AppListCheck } from './web-api.ts'

/** The current run, or the last one, as the API describes it. */
export async function progressOf(
  deps: CatalogueParts,
  depots: Depots,
  appList: AppListCheck,
): Promise<RebuildProgress> {
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
    isWebApiAvailable: appList.known(),
    operationId: operation?.id ?? null,
    showNotification: operation !== null && !operation.isSilent,
  }
}
