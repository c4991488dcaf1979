import type { Weekday } from '../../format/weekday.ts'

const two = (value: number) => String(value).padStart(2, '0')

/**
 * `2026-11-21`. Days of the calendar are midnights of the browser's zone, whatever zone the user has
 * chosen; moments become days in `times.ts`.
 */
export const dayKey = (day: Date): string =>
  `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`

export const monthKey = (day: Date): string => dayKey(day).slice(0, 7)

/** Midnight of a day, or of the first day of a month; null when invalid. */
export function dayOf(key: string): Date | null {
  const [year = 0, month = 0, day = 1] = key.split('-').map(Number)
  const found = new Date(year, month - 1, day)
  return dayKey(found).startsWith(key) ? found : null
}

/** Adds days by the calendar: days with a clock change have 23 or 25 hours. */
export const addDays = (day: Date, days: number): Date =>
  new Date(day.getFullYear(), day.getMonth(), day.getDate() + days)

export const addMonths = (day: Date, months: number): Date =>
  new Date(day.getFullYear(), day.getMonth() + months, 1)

const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 }

/** The day that a key moves to, or null for other keys. */
export function dayAfterKey(key: string, day: Date): Date | null {
  const step = steps[key]
  if (step !== undefined) return addDays(day, step)
  if (key === 'PageUp' || key === 'PageDown') {
    const first = addMonths(day, key === 'PageUp' ? -1 : 1)
    const last = addDays(addMonths(first, 1), -1).getDate()
    return addDays(first, Math.min(day.getDate(), last) - 1)
  }
  return null
}

/** The weeks of a month, each as seven midnights. */
export function weeksOf(month: Date, firstDay: Weekday): Date[][] {
  const first = new Date(month.getFullYear(), month.getMonth(), 1)
  const next = addMonths(first, 1)
  const weekday = first.getDay() === 0 ? 7 : first.getDay()
  const weeks: Date[][] = []
  // A month spans at most six weeks.
  for (
    let start = addDays(first, -((weekday - firstDay + 7) % 7));
    start < next && weeks.length < 6;
    start = addDays(start, 7)
  ) {
    weeks.push(Array.from({ length: 7 }, (_, at) => addDays(start, at)))
  }
  return weeks
}

const dayMs = 86_400_000

/** ISO 8601 week number: the week belongs to the year of its Thursday. */
function isoWeek(day: Date): number {
  const weekday = day.getDay() === 0 ? 7 : day.getDay()
  const thursday = Date.UTC(day.getFullYear(), day.getMonth(), day.getDate() + 4 - weekday)
  const newYear = Date.UTC(new Date(thursday).getUTCFullYear(), 0, 1)
  return Math.floor((thursday - newYear) / dayMs / 7) + 1
}

/**
 * The number of a week as its region counts: ISO 8601 for weeks from Monday, else the week with
 * January 1 is the first.
 */
export function weekNumber(week: readonly Date[]): number {
  const monday = week.find((day) => day.getDay() === 1)
  const last = week.at(-1)
  if (last === undefined || monday === undefined) return 0
  if (monday === week[0]) return isoWeek(monday)
  const newYear = Date.UTC(last.getFullYear(), 0, 1)
  const day = Date.UTC(last.getFullYear(), last.getMonth(), last.getDate())
  return Math.floor((day - newYear) / dayMs / 7) + 1
}

/** First and last day, `2026-11-21`. */
export interface Days {
  first: string
  last: string
}

export const touches = ({ first, last }: Days, day: Date): boolean =>
  first <= dayKey(day) && dayKey(day) <= last

export interface Bar<Event> {
  event: Event
  /** First column of the week, 0 to 6. */
  column: number
  days: number
  /** Row below the day numbers. */
  lane: number
  /** It continues before or after this week: no round end there. */
  isCutBefore: boolean
  isCutAfter: boolean
}

export interface WeekBars<Event> {
  bars: Bar<Event>[]
  /** Number of bars that do not fit, per day. */
  hidden: number[]
}

/** Gives every event of a week the first free row, longer ones first, so that they are on top. */
export function barsOf<Event extends Days & { startTimeUtc: string }>(
  events: readonly Event[],
  week: readonly Date[],
  lanesMax: number,
): WeekBars<Event> {
  const inWeek = events
    .map((event) => {
      const columns = week.flatMap((day, at) => (touches(event, day) ? [at] : []))
      return { event, column: columns[0] ?? -1, days: columns.length }
    })
    .filter(({ days }) => days > 0)
    .toSorted(
      (a, b) =>
        a.column - b.column ||
        b.days - a.days ||
        a.event.startTimeUtc.localeCompare(b.event.startTimeUtc),
    )
  const hidden = week.map(() => 0)
  const freeFrom = Array.from({ length: lanesMax }, () => 0)
  const [first = '', last = ''] = [week.at(0), week.at(-1)].map((day) => day && dayKey(day))
  const bars: Bar<Event>[] = []
  for (const { event, column, days } of inWeek) {
    const lane = freeFrom.findIndex((from) => from <= column)
    if (lane === -1) {
      for (let at = column; at < column + days; at++) hidden[at] = (hidden[at] ?? 0) + 1
      continue
    }
    freeFrom[lane] = column + days
    bars.push({
      event,
      column,
      days,
      lane,
      isCutBefore: event.first < first,
      isCutAfter: event.last > last,
    })
  }
  return { bars, hidden }
}
