/*
 * What the board says, from what is known. A game is ready when its daemon knows the current
 * version as downloaded and the cache still has it. Detection does not recognise every file: what a
 * run of the board has fetched is in the cache until less than half of what was seen of it then is
 * left. A game that the board never fetched is compared with its size instead.
 */
import type { Platform } from '../../platforms/platforms.ts'
import type { Hours } from './hours.ts'
import type { ReadyBoard, State } from './model.ts'
import type { ReadyRow } from './store.ts'

/** What is known of a game besides its row. */
export interface Sight {
  /** Null: the cache cannot be judged. */
  onDiskBytes: number | null
  /** When the cache was read last; null: it cannot be judged. */
  readAt: Date | null
  /** Bytes of the run that fetches it now; null: none does. */
  fetchedBytes: number | null
  /** There is a session that could judge it. */
  hasSession: boolean
}

type Known = Pick<ReadyRow, 'isCurrent' | 'totalBytes' | 'unavailable' | 'newBuildAt'> &
  Pick<ReadyRow, 'fetchedAt' | 'seenBytes'>

/** Whether the cache was read after the board's run fetched the game. */
const isSeen = ({ fetchedAt }: Known, readAt: Date | null): boolean =>
  readAt !== null && (fetchedAt === null || readAt > fetchedAt)

/** Whether the cache has the game, or most of it; null: not known. */
function isInCache(row: Known, { onDiskBytes, readAt }: Sight): boolean | null {
  const wasFetched = row.fetchedAt !== null
  if (onDiskBytes === null || !isSeen(row, readAt)) return wasFetched ? true : null
  const whole = wasFetched ? row.seenBytes : row.totalBytes
  if (whole === null) return wasFetched || onDiskBytes > 0
  return onDiskBytes * 2 >= whole && (wasFetched || onDiskBytes > 0)
}

/** The most that was seen of a fetched game, which later readings are compared with. */
export function seenBytesOf(row: Known, { onDiskBytes, readAt }: Sight): number | null {
  if (row.fetchedAt === null || onDiskBytes === null || !isSeen(row, readAt)) return row.seenBytes
  return Math.max(row.seenBytes ?? 0, onDiskBytes)
}

export function stateOf(row: Known, sight: Sight): State {
  if (sight.fetchedBytes !== null) return 'fetching'
  if (!sight.hasSession) return 'unknown'
  if (row.unavailable !== null) return 'unavailable'
  if (row.isCurrent === null) return 'unknown'
  if (row.isCurrent) {
    const inCache = isInCache(row, sight)
    return inCache === null ? 'unknown' : inCache ? 'ready' : 'missing'
  }
  const wasHere = row.fetchedAt !== null || row.newBuildAt !== null || (sight.onDiskBytes ?? 0) > 0
  return wasHere ? 'outdated' : 'missing'
}

/** At most; null: not known. */
export function missingBytesOf(row: Known, state: State, sight: Sight): number | null {
  const { totalBytes, isCurrent } = row
  if (state === 'ready') return 0
  if (totalBytes === null || state === 'unknown' || state === 'unavailable') return null
  const there = sight.fetchedBytes ?? (isCurrent === true ? (sight.onDiskBytes ?? 0) : 0)
  return Math.max(0, totalBytes - there)
}

export interface Judged {
  platform: Platform
  state: State
  /** Its own time, or that of the board. */
  dueAt: Date | null
  missingBytes: number | null
}

export interface Room {
  freeBytes: number | null
  evictableBytes: number | null
}

interface Surroundings extends Room {
  now: Date
  hours: Hours
  /** Bytes per second; null: never measured. */
  rateOf: (platform: Platform) => number | null
}

type Estimate = Pick<ReadyBoard, 'missingBytes' | 'seconds' | 'fits' | 'verdict'> & {
  readyAt: Date | null
}

/** Earliest first; without a time last. */
export const byDue = (a: Pick<Judged, 'dueAt'>, b: Pick<Judged, 'dueAt'>): number =>
  (a.dueAt?.getTime() ?? Infinity) - (b.dueAt?.getTime() ?? Infinity) || 0

function fitsOf(bytes: number, isComplete: boolean, { freeBytes, evictableBytes }: Room) {
  if (freeBytes === null) return 'unknown'
  if (evictableBytes !== null && bytes > freeBytes + evictableBytes) return 'no'
  if (!isComplete) return 'unknown'
  if (bytes <= freeBytes) return 'yes'
  return evictableBytes === null ? 'unknown' : 'evicts'
}

/**
 * What all games together need. Those whose size is not known make the sums unknown; what is known
 * of the others can still be too late or too large.
 */
export function estimate(games: readonly Judged[], around: Surroundings): Estimate {
  const { now, hours, rateOf } = around
  const open = games.filter(({ state }) => state !== 'ready').toSorted(byDue)
  const wanted = open.filter(({ state }) => state !== 'unavailable')
  let [bytes, seconds, isLate] = [0, 0, false]
  let [hasSizes, hasRates] = [true, true]
  for (const [index, { platform, dueAt, missingBytes }] of wanted.entries()) {
    hasSizes &&= missingBytes !== null
    bytes += missingBytes ?? 0
    const rate = (missingBytes ?? 0) === 0 ? 1 : rateOf(platform)
    hasRates &&= rate !== null
    seconds += (missingBytes ?? 0) / (rate ?? Infinity)
    // The last one of those that are due at one time.
    if (dueAt === null || wanted[index + 1]?.dueAt?.getTime() === dueAt.getTime()) continue
    const readyAt = hours.after(now, seconds)
    isLate ||= dueAt <= now || readyAt === null || readyAt > dueAt
  }
  const isComplete = hasSizes && hasRates
  const fits = fitsOf(bytes, hasSizes, around)
  const readyAt = isComplete && wanted.length > 0 ? hours.after(now, seconds) : null
  const verdict = ((): Estimate['verdict'] => {
    if (games.length === 0) return 'unknown'
    if (open.length === 0) return 'ready'
    if (fits === 'no') return 'noSpace'
    if (isLate) return 'late'
    return isComplete && wanted.length === open.length ? 'inTime' : 'unknown'
  })()
  return {
    missingBytes: hasSizes ? bytes : null,
    seconds: isComplete ? seconds : null,
    readyAt,
    fits,
    verdict,
  }
}
