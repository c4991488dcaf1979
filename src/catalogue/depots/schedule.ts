import { HistoryUnavailable } from '../../../db/history/history.ts'
import type { Trigger } from '../../core/schedules/contract.ts'
import type { CatalogueParts } from '../parts.ts'
import { unnamedDepots } from './apply.ts'
import { storeInterval } from './crawl-settings.ts'
import { serviceKey, type Depots } from './create.ts'
import type { Viability } from './viability.ts'

/** A new installation gets its names this long after the start. */
const firstRunMinutes = 1

/** Without a list, depots of new downloads are noticed this often. */
const newDepotMinutes = 2
/** Depots that one process asked for; their number is bounded by that of all downloads. */
const askedMax = 100_000

type Parts = CatalogueParts

/** Without a list, names of new downloads are asked for soon, each depot once per process. */
function scheduleNewDepots(parts: Parts, depots: Depots): void {
  const { config, settings, schedules } = parts
  const asked = new Set<number>()

  async function run(): Promise<void> {
    const isOff = settings.get('depots.crawlIntervalHours') === 0
    if (isOff || settings.get('depots.crawlMode') !== 'github' || depots.active() !== null) return
    const unnamed = await unnamedDepots(parts).catch((error: unknown) => {
      if (error instanceof HistoryUnavailable) return []
      throw error
    })
    const fresh = unnamed.filter((depotId) => !asked.has(depotId))
    if (fresh.length === 0 || asked.size > askedMax || depots.active() !== null) return
    for (const depotId of fresh) asked.add(depotId)
    depots.begin('github', { isSilent: true })
  }

  if (config.alpha.depotListUrl !== null) return
  schedules.register({
    serviceKey: 'newDepots',
    intervalHours: newDepotMinutes / 60,
    runOnStartup: false,
    runsBeforeSetup: true,
    run,
  })
}

/** Starts runs by the clock, from the first minute of a new installation on. */
export function scheduleDepots(parts: Parts, depots: Depots): void {
  const { catalogue, clock, config, hub, log, schedules, settings } = parts
  scheduleNewDepots(parts, depots)

  /** The list says itself when it is worth asking again. */
  async function isListFresh(): Promise<boolean> {
    if (config.alpha.depotListUrl === null) return false
    const { mappings, file } = await catalogue.status()
    const dueMs = Date.parse(file.nextUpdateDue ?? '')
    return mappings > 0 && file.exists && dueMs > clock.now().getTime()
  }

  /** An incremental crawl starts by itself only where it is possible. */
  async function mayCrawlChanges(): Promise<boolean> {
    const check = await depots.viability.read(depots.stopping)
    depots.state.wasSkipped = !check.isViable && check.error === null
    if (check.error !== null) log.info({ reason: check.error }, 'Steam is not reachable')
    if (depots.state.wasSkipped) announceSkipped(check)
    return check.isViable
  }

  const announceSkipped = ({ changeGap, estimatedAppsToScan }: Viability) =>
    hub.publish('AutomaticScanSkipped', {
      stageKey: 'signalr.depotMapping.scan.skippedFullRequired',
      context: { changeGap, estimatedAppsToScan },
      timestamp: clock.now().toISOString(),
    })

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
        set: (hours) => void storeInterval({ settings }, hours),
        reset: () => settings.clear('depots.crawlIntervalHours'),
      },
    },
    run,
  })
}
