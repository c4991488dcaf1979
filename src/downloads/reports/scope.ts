import { Type } from '@sinclair/typebox'
import { QueryFlag, type QueryOf, RowId, UnixSeconds } from '../../core/http/schema.ts'
import { AppError } from '../../core/http/errors.ts'
import type { Period } from './range.ts'

/** What a report covers: a time range, optionally only one event's downloads. */
export interface Scope {
  period: Period
  eventId: number | null
  /** Prefill traffic is not a client's download; it counts only on request. */
  includePrefill: boolean
  /** Clients excluded: hidden ones, and for sums those that are only listed. */
  without: readonly string[]
  /** Excludes evicted downloads; for lists. */
  hidesEvicted?: boolean
  /** Single downloads and five-minute rows are kept since then, Unix seconds; null: all of them. */
  keptSince?: number | null
}

/** True when the scope's traffic begins, at `first` (Unix seconds), where only hours of it are kept. */
export const hasHoursOnly = ({ keptSince = null }: Scope, first: number): boolean =>
  keptSince !== null && first < keptSince

/** The query of reports. */
export const scopeQuery = {
  startTime: UnixSeconds,
  endTime: UnixSeconds,
  eventId: Type.Optional(RowId),
  includePrefill: QueryFlag,
}

export function periodOf(start: number | undefined, end: number | undefined): Period {
  if (start !== undefined && end !== undefined && start > end) {
    throw new AppError('invalid', 'The start time is after the end time')
  }
  return { start: start ?? null, end: end ?? null }
}

/**
 * Throws `invalid` when the range ends before it begins. Each report decides about excluded
 * clients.
 */
export const scopeOf = (query: QueryOf<typeof scopeQuery>): Scope => ({
  period: periodOf(query.startTime, query.endTime),
  eventId: query.eventId ?? null,
  includePrefill: query.includePrefill ?? false,
  without: [],
})

/** True when the period extends to the present, so that new rows change the answer. */
export const isLive = ({ end }: Period, now: Date): boolean =>
  end === null || end >= Math.floor(now.getTime() / 1000) - 1
