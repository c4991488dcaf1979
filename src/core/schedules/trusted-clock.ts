import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/log.ts'
import { isWritten } from '../lib/storage-faults.ts'
import type { Settings } from '../settings/settings.ts'

const dayMs = 86_400_000
/** A clock that went further ahead, also while the service was off, is doubted. */
const jumpMsMax = 31 * dayMs
/** A doubted clock is trusted after this long: a wrong one was noticed and set by then. */
const doubtedMs = dayMs
/**
 * The same for a machine that was off, whose clock is set within minutes of its start. One that is on
 * for parties only would never delete anything after a day.
 */
const doubtedAtStartMs = 3_600_000
/** How often a trusted time is stored. */
const storeEveryMs = 3_600_000

interface Parts {
  clock: Clock
  settings: Pick<Settings, 'get' | 'set'>
  log: Pick<Logger, 'warn'>
}

/**
 * Answers whether the time of day may decide what is deleted by age. A clock that is a year ahead for
 * an hour would delete what cannot be brought back; one that is behind deletes too little, which is
 * made up for.
 */
export function createTrustedClock({ clock, settings, log }: Parts): () => boolean {
  const storedMs = settings.get('clock.trustedAt')
  /** The last trusted time, and the elapsed time then. */
  let trusted = { atMs: storedMs ?? clock.now().getTime(), elapsedMs: clock.elapsedMs() }
  /** Since when the clock is doubted, in elapsed time. */
  let doubtedAtMs: number | null = null
  let limitMs = doubtedAtStartMs

  return () => {
    const atMs = clock.now().getTime()
    const elapsedMs = clock.elapsedMs()
    const jumpMs = atMs - trusted.atMs - (elapsedMs - trusted.elapsedMs)
    if (jumpMs > jumpMsMax && doubtedAtMs === null) {
      doubtedAtMs = elapsedMs
      const days = Math.round(jumpMs / dayMs)
      log.warn(
        { days },
        'the clock is far ahead of the last run: nothing is deleted by age for up to a day',
      )
    }
    const isOver = doubtedAtMs !== null && elapsedMs - doubtedAtMs >= limitMs
    if (jumpMs > jumpMsMax && !isOver) return false
    doubtedAtMs = null
    limitMs = doubtedMs
    trusted = { atMs, elapsedMs }
    const stored = settings.get('clock.trustedAt')
    if (stored === null || Math.abs(atMs - stored) >= storeEveryMs)
      isWritten(() => settings.set('clock.trustedAt', atMs))
    return true
  }
}
