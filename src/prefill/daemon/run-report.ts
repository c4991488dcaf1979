import { serverAddressText } from '../../core/lib/cache-network.ts'
import { isTerminal, progressData, type Progress } from '../protocol/progress.ts'
import type { RunRequest } from './run-apps.ts'

/** Events in one answer: a frame has room for as many games with all their depots. */
const pageEvents = 500

/** Members that a reader takes for 0 or null are left out: there may be twenty thousand games. */
const compact = (data: object): object =>
  Object.fromEntries(Object.entries(data).filter(([, value]) => Boolean(value)))

/**
 * What is kept of a run until the next one starts, for a manager that was away: every end, with the
 * progress before it unless the game came whole. The manager recognises the run by its name.
 */
export function createRunReport(
  { names, cache }: Pick<RunRequest, 'names' | 'cache'>,
  hasNumericIds: boolean,
) {
  const about = { ...names, cache: cache === null ? null : serverAddressText(cache) }
  const kept: object[] = []
  let last: object | null = null
  return {
    /** Returns the progress as it is sent. */
    add(progress: Progress): object {
      const { state, result } = progress
      const data = progressData(progress, hasNumericIds)
      const isGameEnd = state === 'app_completed' || state === 'already_cached'
      const before = last
      last = compact(data)
      if (!isGameEnd && !isTerminal(state)) return data
      if (before !== null && result !== 'Success') kept.push(before)
      kept.push(last)
      last = null
      return data
    },
    /** Events from this one on; the next page begins after them. */
    page(from: number): object {
      const events = kept.slice(from, from + pageEvents)
      const isWhole = from + events.length >= kept.length
      return { ...about, events: isWhole && last !== null ? [...events, last] : events, isWhole }
    },
  }
}
