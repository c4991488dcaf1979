import { dailyWindow } from '../../core/schedules/custom.ts'
import type { AllowedHours } from './settings.ts'

const weekMs = 7 * 86_400_000
/** How far a question looks ahead. */
const horizonMs = 522 * weekMs

interface Stretch {
  from: Date
  until: Date
  openMs: number
}

export function createHours(hours: AllowedHours | null, timeZoneId: string) {
  const daily = hours === null ? null : dailyWindow(hours, timeZoneId)
  const isOpen = (at: Date): boolean => daily?.isOpen(at) ?? true
  const changeAfter = (at: Date): Date | null => daily?.changeAfter(at) ?? null

  /**
   * Stretches of time up to the horizon, each with the milliseconds in it that are allowed: whole
   * weeks in which no clock changes, as long as `isWanted` takes them, else from one opening or
   * closing to the next.
   */
  function* stretches(from: Date, isWanted: (week: Stretch) => boolean): Generator<Stretch> {
    const endMs = from.getTime() + horizonMs
    let at = from
    while (at.getTime() < endMs) {
      const weekLater = new Date(at.getTime() + weekMs)
      const week = { from: at, until: weekLater, openMs: (daily?.openMs ?? 0) * 7 }
      const isUsual = daily?.isSameTime(at, weekLater) === true && isWanted(week)
      const until: Date = isUsual ? weekLater : (changeAfter(at) ?? new Date(endMs))
      if (isUsual) yield week
      else yield { from: at, until, openMs: isOpen(at) ? until.getTime() - at.getTime() : 0 }
      at = until
    }
  }

  return {
    isOpen,
    /** When they open or close next; null: never. */
    changeAfter,
    /** Allowed seconds between two moments. */
    secondsBetween: (from: Date, until: Date) => {
      if (daily === null) return Math.max(0, until.getTime() - from.getTime()) / 1000
      let ms = 0
      for (const stretch of stretches(from, (week) => week.until <= until)) {
        if (stretch.from >= until) break
        const beyondMs = Math.max(0, stretch.until.getTime() - until.getTime())
        ms += Math.max(0, stretch.openMs - beyondMs)
      }
      return ms / 1000
    },
    /** When so many allowed seconds have passed; null: not in the foreseeable future. */
    after: (from: Date, seconds: number) => {
      if (seconds <= 0) return from
      let leftMs = seconds * 1000
      if (daily === null) return leftMs < horizonMs ? new Date(from.getTime() + leftMs) : null
      for (const { from: at, openMs } of stretches(from, (week) => week.openMs < leftMs)) {
        if (leftMs <= openMs) return new Date(at.getTime() + leftMs)
        leftMs -= openMs
      }
      return null
    },
  }
}
/** The hours of the day in which games may be fetched. */
export type Hours = ReturnType<typeof createHours>
