import type { IncrementalCheck } from './model.ts'
import type { CatalogueParts } from '../parts.ts'
import { alphaAccess } from './alpha-access.ts'
import { noteFault } from './session-fault.ts'

const keptMs = 3_600_000
/** How the error begins when Steam did not answer. */
const awayText = 'Connection failed: '
/** Apps of a full crawl, roughly. */
const appsOfAll = 270_000
const appsOfChangesMax = 50_000

const unknown: IncrementalCheck = {
  isViable: false,
  lastChangeNumber: 0,
  currentChangeNumber: 0,
  changeGap: 0,
  isLargeGap: false,
  willTriggerFullScan: false,
  estimatedAppsToScan: 0,
  error: null,
}

const fullNeeded = { willTriggerFullScan: true, estimatedAppsToScan: appsOfAll }

type Parts = Pick<
  CatalogueParts,
  'catalogue' | 'clock' | 'config' | 'credentials' | 'hub' | 'log' | 'settings'
>

/** Asks Steam whether the changes since the last crawl are known; answers are kept for an hour. */
export function createViability(parts: Parts) {
  const { catalogue, clock } = parts
  let kept: { atMs: number; answer: IncrementalCheck } | null = null

  async function ask(signal: AbortSignal): Promise<IncrementalCheck> {
    const numbers = await catalogue.changeNumbers(alphaAccess(parts), signal)
    const { last, current, error, fault } = numbers
    if (fault !== null && noteFault(parts, fault, false)) return ask(signal)
    const known = { ...unknown, lastChangeNumber: last, currentChangeNumber: current }
    if (numbers.isAway) return { ...known, error: `${awayText}${error ?? 'no answer'}` }
    if (error !== null) return { ...known, ...fullNeeded, error }
    const changeGap = last === 0 ? 0 : Math.max(0, current - last)
    if (numbers.fullNeeded) return { ...known, ...fullNeeded, changeGap, isLargeGap: true }
    const estimatedAppsToScan = Math.min(2 * changeGap, appsOfChangesMax)
    return { ...known, isViable: true, changeGap, estimatedAppsToScan }
  }

  return {
    /** Never rejects because of Steam; its failures are in `error`. */
    async read(signal: AbortSignal): Promise<IncrementalCheck> {
      const { mappings, changeNumber, file } = await catalogue.status()
      const hasBaseline = mappings > 0 || changeNumber > 0 || file.exists
      if (!hasBaseline) return { ...unknown, ...fullNeeded }
      const isFresh = kept !== null && clock.elapsedMs() - kept.atMs < keptMs
      if (isFresh && kept !== null) return kept.answer
      const answer = await ask(signal)
      kept = { atMs: clock.elapsedMs(), answer }
      return answer
    },
    forget: () => void (kept = null),
  }
}

export const fullNeededText = 'An incremental crawl is not possible: a full crawl is needed'

/** That Steam could not be asked, from the error of the check. */
export const awayOf = (error: string) => ({
  message: 'Steam could not be asked what changed',
  stageKey: 'signalr.depotMapping.skippedAlphaUnreachable',
  context: { errorDetail: error.replace(awayText, '') },
})
