import { dayIn, durationText, periodText, wholeDaysText } from '../../format/times.ts'
import type { Days } from './month.ts'

interface Span {
  startTimeUtc: string
  endTimeUtc: string
}

interface EventSpan extends Span {
  /** As the creator's clock showed it; absent or with `Z` when only the moment is known. */
  startTimeLocal?: string
  endTimeLocal?: string
}

/** The largest difference between two clocks of the world. */
const offsetMaxMs = 14 * 3_600_000
const dayMs = 86_400_000

/** Day and time of a creator's clock, unless they belong to another moment. */
function wallOf(local = '', utc = ''): readonly [day: string, time: string] | null {
  const [, day = '', time = ''] =
    /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})(?::[\d.]+)?(?:[+-]\d{2}:\d{2})?$/.exec(local) ?? []
  const ms = Date.parse(`${day}T${time}Z`) - Date.parse(utc)
  return Math.abs(ms) <= offsetMaxMs ? [day, time] : null
}

/** The days of an event that its creator set to whole days, else null. */
function wholeDays(event: EventSpan): Days | null {
  const start = wallOf(event.startTimeLocal, event.startTimeUtc)
  const end = wallOf(event.endTimeLocal, event.endTimeUtc)
  if (start === null || end === null || start[1] !== '00:00') return null
  const [first] = start
  const [day, time] = end
  if (time === '23:59') return day < first ? null : { first, last: day }
  if (time !== '00:00' || day <= first) return null
  return { first, last: new Date(Date.parse(day) - dayMs).toISOString().slice(0, 10) }
}

/**
 * The days of an event: those that its creator meant if it lasts whole days, in every zone; else
 * those in the user's zone. One that ends at midnight does not touch the next day.
 */
export function daysOf(event: EventSpan): Days {
  const [start, end] = [Date.parse(event.startTimeUtc), Date.parse(event.endTimeUtc)]
  const last = new Date(Math.max(start, end - 1))
  return wholeDays(event) ?? { first: dayIn(new Date(start)), last: dayIn(last) }
}

export function spanText(event: EventSpan, now: Date): string {
  const days = wholeDays(event)
  return days === null
    ? periodText(new Date(event.startTimeUtc), new Date(event.endTimeUtc), now)
    : wholeDaysText(days.first, days.last, now)
}

export const lengthText = ({ startTimeUtc, endTimeUtc }: Span): string =>
  durationText((new Date(endTimeUtc).getTime() - new Date(startTimeUtc).getTime()) / 1000)
