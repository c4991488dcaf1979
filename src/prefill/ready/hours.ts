import { dailyWindow } from '../../core/schedules/custom.ts'
import type { AllowedHours } from './settings.ts'

/** Openings and closings that a question is answered from. */
const changesMax = 800

/** The hours of the day in which games may be fetched. */
export interface Hours {
  isOpen: (at: Date) => boolean
  /** When they open or close next; null: never. */
  changeAfter: (at: Date) => Date | null
  /** Allowed seconds between two moments. */
  secondsBetween: (from: Date, until: Date) => number
  /** When so many allowed seconds have passed; null: not in the foreseeable future. */
  after: (from: Date, seconds: number) => Date | null
}

interface Span {
  from: Date
  /** Null: without an end. */
  until: Date | null
}

export function createHours(hours: AllowedHours | null, timeZoneId: string): Hours {
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
    changeAfter,
    secondsBetween(from, until) {
      let ms = 0
      for (const span of spans(from)) {
        if (span.from >= until) break
        ms += Math.min(span.until?.getTime() ?? Infinity, until.getTime()) - span.from.getTime()
      }
      return ms / 1000
    },
    after(from, seconds) {
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
