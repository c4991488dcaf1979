import { AppError } from '../../core/http/errors.ts'
import type { Period } from './range.ts'

/** What a report is about: a time, perhaps only the downloads of one event. */
export interface Scope {
  period: Period
  eventId: number | null
  /** Traffic of prefill runs is nobody's download; it counts only when asked for. */
  includePrefill: boolean
  /** Clients that play no part: hidden ones, and for sums those that are only listed. */
  without: readonly string[]
  /** Leaves out what was evicted from the cache; for lists of downloads. */
  hidesEvicted?: boolean
}

export interface ScopeQuery {
  startTime?: number | undefined
  endTime?: number | undefined
  eventId?: number | undefined
  includePrefill?: boolean | undefined
}

export function periodOf(start: number | undefined, end: number | undefined): Period {
  if (start !== undefined && end !== undefined && start > end) {
    throw new AppError('invalid', 'The start time is after the end time')
  }
  return { start: start ?? null, end: end ?? null }
}

/**
 * Throws `invalid` when the range ends before it begins. Who is left out is for the report to say.
 */
export const scopeOf = (query: ScopeQuery): Scope => ({
  period: periodOf(query.startTime, query.endTime),
  eventId: query.eventId ?? null,
  includePrefill: query.includePrefill ?? false,
  without: [],
})

/** True when the period reaches into the present, so that new rows change the answer. */
export const isLive = ({ end }: Period, now: Date): boolean =>
  end === null || end >= Math.floor(now.getTime() / 1000) - 1
