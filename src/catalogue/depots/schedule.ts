import type { Trigger } from '../../core/schedules/contract.ts'
import { catalogueSettings } from '../settings.ts'
import type { CatalogueParts } from '../parts.ts'
import { storeInterval } from './crawl-settings.ts'
import { serviceKey, type Depots } from './create.ts'

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

  /** An incremental crawl starts by itself only where it is possible. */
  async function mayCrawlChanges(): Promise<boolean> {
    const { isViable, error, ...check } = await depots.viability.read(depots.stopping)
    const { changeGap, estimatedAppsToScan } = check
    const isFullNeeded = !isViable && error === null
    depots.state.pendingFullScan = isFullNeeded ? { changeGap, estimatedAppsToScan } : null
    if (error !== null) log.info({ reason: error }, 'Steam is not reachable')
    if (isFullNeeded) {
      hub.publish('AutomaticScanSkipped', {
        stageKey: 'signalr.depotMapping.scan.skippedFullRequired',
        context: { changeGap, estimatedAppsToScan },
        timestamp: clock.now().toISOString(),
      })
      schedules.changed()
    }
    return isViable
  }

  async function run(_trigger: Trigger, { isSilent }: { isSilent: boolean }): Promise<void> {
    if (depots.active() !== null) return
    const mode = settings.get('depots.crawlMode')
    if (mode === 'incremental' && !(await mayCrawlChanges())) return
    const isApplying = mode === 'github' && (await isListFresh())
    depots.begin(isApplying ? 'apply' : mode, { isSilent })
  }

  schedules.register({
    serviceKey,
    intervalHours: () => settings.get('depots.crawlIntervalHours'),
    runOnStartup: false,
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
    run,
  })
}
