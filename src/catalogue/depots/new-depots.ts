import { HistoryUnavailable } from '../../../db/history/history.ts'
import { createSoon, type Soon } from '../../core/lib/soon.ts'
import type { CatalogueParts } from '../parts.ts'
import { unnamedDepots } from './apply.ts'
import type { Depots } from './create.ts'
import type { MappingMode } from './state.ts'

/** Titles arrive in bursts when logs are imported. */
const collectMs = 3000
/** Without a list each run asks Steam; with one it reads what is stored. */
const askEveryMinutes = 2
const applyEveryMs = 10_000
/** Depots that one process asked for; their number is bounded by that of all downloads. */
const askedMax = 100_000

/**
 * Looks for the names of new downloads soon after their rows have arrived, each depot once per
 * process: at Steam, or in the list of depots, which is requested once at most this way.
 */
export function createNewDepots(
  parts: CatalogueParts,
  depots: Depots,
): { start(): void; stop(): void } {
  const { catalogue, config, log, logs, schedules, settings, timers } = parts
  const hasList = config.alpha.depotListUrl !== null
  const asked = new Set<number>()
  let isListRequested = false

  /** Null: the list was requested in vain; the schedule of the list tries again. */
  async function modeOf(): Promise<MappingMode | 'apply' | null> {
    if (!hasList) return 'github'
    if ((await catalogue.status()).mappings > 0) return 'apply'
    if (isListRequested) return null
    isListRequested = true
    return 'github'
  }

  async function look(): Promise<void> {
    const isOff = settings.get('depots.crawlIntervalHours') === 0
    if (isOff || settings.get('depots.crawlMode') !== 'github' || depots.active() !== null) return
    const unnamed = await unnamedDepots(parts)
    const fresh = unnamed.filter((depotId) => !asked.has(depotId))
    if (fresh.length === 0 || asked.size > askedMax) return
    const mode = await modeOf()
    if (mode === null || depots.active() !== null) return
    for (const depotId of fresh) asked.add(depotId)
    await depots.begin(mode, { isSilent: true }).done
  }

  const run = (): Promise<void> =>
    look().catch((error: unknown) => {
      if (!(error instanceof HistoryUnavailable)) throw error
    })

  const soon: Soon = createSoon({
    timers,
    delayMs: collectMs,
    gapMs: hasList ? applyEveryMs : askEveryMinutes * 60_000,
    run: () => run().catch((err: unknown) => log.warn({ err }, 'new depots were not looked up')),
  })

  return {
    start() {
      logs.onNewTitles(soon.request)
      schedules.register({
        serviceKey: 'newDepots',
        intervalHours: askEveryMinutes / 60,
        runOnStartup: false,
        runsBeforeSetup: true,
        run,
      })
    },
    stop: soon.stop,
  }
}
