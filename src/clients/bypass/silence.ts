/** Long enough to know weekends and shift work; older habits have changed. */
export const habitDays = 60
/** Active days from which a habit is one. */
const habitDaysMin = 6
/** A few days are no news, however regular somebody was. */
const silentDaysMin = 4
/** A habit's longest break is exceeded by this much before it counts as over. */
const breakFactor = 2
/** Who has been away for so long has left; the list would only grow. */
const goneDays = 45
export const dayMs = 86_400_000

export interface Silence {
  /** Days since the last traffic. */
  days: number
  /** The longest break before, in days. */
  usualBreakDays: number
}

/**
 * Whether a client that came regularly has stopped coming; null: it comes as usual, never had a habit,
 * or has left long ago. `activeDays` are days (UTC, since 1970) with traffic, in any order. The
 * silence is counted from the last traffic and not from midnight, so no time zone moves it.
 */
export function silenceOf(
  activeDays: readonly number[],
  lastAtMs: number,
  nowMs: number,
): Silence | null {
  const last = Math.floor(lastAtMs / dayMs)
  const habit = [...new Set(activeDays)].filter((day) => day > last - habitDays && day <= last)
  if (habit.length < habitDaysMin) return null
  habit.sort((a, b) => a - b)
  const breaks = habit.map((day, at) => day - (habit[at - 1] ?? day))
  const usualBreakDays = Math.max(...breaks)
  const days = (nowMs - lastAtMs) / dayMs
  const limit = Math.max(silentDaysMin, breakFactor * usualBreakDays)
  return days > limit && days <= goneDays ? { days: Math.floor(days), usualBreakDays } : null
}
