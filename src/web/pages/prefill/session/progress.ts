import { countText } from '../../../format/numbers.ts'
import type { Progress, RunState } from '../wire.ts'

/** Seconds until the current game is done at today's speed; null without one, or below a second. */
export function secondsLeft({
  totalBytes,
  bytesDownloaded,
  bytesPerSecond,
}: Pick<Progress, 'totalBytes' | 'bytesDownloaded' | 'bytesPerSecond'>): number | null {
  const missing = totalBytes - bytesDownloaded
  const seconds = bytesPerSecond > 0 ? missing / bytesPerSecond : 0
  return seconds >= 1 ? seconds : null
}

/** Which game of how many is running; null while the number is not known. */
export function stageOf(
  progress: Pick<Progress, 'totalApps' | 'updatedApps' | 'alreadyUpToDate' | 'failedApps'>,
): { done: string; total: string } | null {
  const { totalApps, updatedApps, alreadyUpToDate, failedApps } = progress
  if (totalApps <= 0) return null
  const done = Math.min(totalApps, updatedApps + alreadyUpToDate + failedApps + 1)
  return { done: countText(done), total: countText(totalApps) }
}

/** How a run is shown that ended in this state; failures of single games are not hidden. */
export const shownState = (state: RunState, failedApps: number): RunState | 'partly' =>
  state === 'completed' && failedApps > 0 ? 'partly' : state
