import type { OperationResult } from '../../core/operations/contract.ts'
import { catalogueSettings } from '../settings.ts'
import type { CatalogueParts } from '../parts.ts'
import { storeInterval } from './crawl-settings.ts'
import { serviceKey, type Depots } from './create.ts'
import { awayOf, fullNeededText } from './viability.ts'

/** A new installation gets its names this long after the start. */
const firstRunMinutes = 1

/** Starts scheduled runs, from the first minute of a new installation on. */
export function scheduleDepots(parts: CatalogueParts, depots: Depots): void {
  const { catalogue, clock, config, hub, log, schedules, settings } = parts

  /** The list says itself when it is worth asking again. */
  async function isListFresh(): Promise<boolean> {
    if (config.alpha.depotListUrl === null) return false
    const { mappings, file } = await catalogue.status()
    const dueMs = Date.parse(file.nextUpdateDue ?? '')
    return mappings > 0 && file.exists && dueMs > clock.now().getTime()
  }

  /** Why an incremental crawl is skipped; null: it is possible. */
  async function skipped(signal: AbortSignal): Promise<OperationResult | null> {
    const { isViable, error, ...check } = await depots.viability.read(signal)
    const { changeGap, estimatedAppsToScan } = check
    const isFullNeeded = !isViable && error === null
    depots.state.pendingFullScan = isFullNeeded ? { changeGap, estimatedAppsToScan } : null
    if (error !== null) {
      log.info({ reason: error }, 'Steam is not reachable')
      return { kind: 'skipped', ...awayOf(error) }
    }
    if (isViable) return null
    const facts = {
      stageKey: 'signalr.depotMapping.scan.skippedFullRequired',
      context: { changeGap, estimatedAppsToScan },
    }
    hub.publish('AutomaticScanSkipped', { ...facts, timestamp: clock.now().toISOString() })
    schedules.changed()
    return { kind: 'skipped', message: fullNeededText, ...facts }
  }

  schedules.register({
    serviceKey,
    intervalHours: () => settings.get('depots.crawlIntervalHours'),
    runOnStartup: true,
    firstRunMinutes,
    runsBeforeSetup: true,
    card: {
      notificationMode: 'manual',
      operationType: 'depotMapping',
      operationScope: 'alpha',
      interval: {
        usual: catalogueSettings['depots.crawlIntervalHours'].fallback,
        set: (hours) => void storeInterval({ settings }, hours),
        reset: () => settings.clear('depots.crawlIntervalHours'),
      },
      hindrance: () => ({ pendingFullScan: depots.state.pendingFullScan }),
    },
    run(_trigger, { isSilent }) {
      const joined = depots.joined()
      if (joined !== null) return joined
      const mode = settings.get('depots.crawlMode')
      const choose = async (signal: AbortSignal) => {
        if (mode === 'incremental') return (await skipped(signal)) ?? mode
        return mode === 'github' && (await isListFresh()) ? 'apply' : mode
      }
      const { queued, done } = depots.begin(mode, { isSilent, choose })
      void done.then(({ kind }) => schedules.noteEnd(serviceKey, kind === 'failed'))
      return queued
    },
  })
}
