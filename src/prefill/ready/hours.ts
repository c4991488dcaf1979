import { dailyWindow } from '../../core/schedules/custom.ts'
import type { AllowedHours } from './settings.ts'

/** Openings and closings that a question is answered from. */
const changesMax = 800

interface Span {
  from: Date
  /** Null: without an end. */
  until: Date | null
}

export function createHours(hours: AllowedHours | null, timeZoneId: string) {
  const daily = hours === null ? null : dailyWindow(hours, timeZoneId)
  const isOpen = (at: Date): boolean => daily?.isOpen(at) ?? true
  const changeAfter = (at: Date): Date | null => daily?.changeAfter(at) ?? null

  /** Spans in which the hours are open, beginning with the present one. */
  function* spans(from: Date): Generator<Span> {
    let at: Date | null = from
    for (let changes = 0; at !== null && changes < changesMax; changes++) {
      const until = changeAfter(at)
      if (isOpen(at)) yield { from: at, until }
      at = until
    }
  }

  return {
    isOpen,
    /** When they open or close next; null: never. */
    changeAfter,
    /** Allowed seconds between two moments. */
    secondsBetween: (from: Date, until: Date) => {
      let ms = 0
      for (const span of spans(from)) {
        if (span.from >= until) break
        ms += Math.min(span.until?.getTime() ?? Infinity, until.getTime()) - span.from.getTime()
      }
      return ms / 1000
    },
    /** When so many allowed seconds have passed; null: not in the foreseeable future. */
    after: (from: Date, seconds: number) => {
      if (seconds <= 0) return from
      let leftMs = seconds * 1000
      for (const span of spans(from)) {
        const spanMs = (span.until?.getTime() ?? Infinity) - span.from.getTime()
        if (leftMs <= spanMs) {
          const at = new Date(span.from.getTime() + leftMs)
          return Number.isNaN(at.getTime()) ? null : at
        }
        leftMs -= spanMs
      }
      return null
    },
  }
}
/** The hours of the day in which games may be fetched. */
export type Hours = ReturnType<typeof createHours>
