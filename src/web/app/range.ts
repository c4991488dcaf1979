import { inputValue, momentOf } from '../format/times.ts'
import { firstWeekday } from '../format/weekday.ts'
import { region } from '../locales/translate.ts'

const calendarSpans = ['today', 'yesterday', 'week', 'month'] as const
const lengths = ['1h', '6h', '12h', '24h', '7d', '30d', '365d'] as const
/** Spans available everywhere; the value is part of the URL (`?range=7d`). */
export const spans = [...calendarSpans, ...lengths, 'all'] as const
export type Span = (typeof spans)[number]
type CalendarSpan = (typeof calendarSpans)[number]

const hours: Record<(typeof lengths)[number], number> = {
  '1h': 1,
  '6h': 6,
  '12h': 12,
  '24h': 24,
  '7d': 168,
  '30d': 720,
  '365d': 8760,
}

/**
 * A named span up to now, or two fixed moments (Unix seconds); with an event only the downloads
 * with its tag.
 */
export type Range = ({ span: Span } | { from: number; to: number }) & { event?: number }

/** The range in the URL. */
export interface RangeSearch {
  range?: string | undefined
  start?: number | undefined
  end?: number | undefined
  event?: number | undefined
}

export const standardSpan: Span = '24h'
const latestSecond = 253_402_300_799

const second = (value: unknown): number | undefined => {
  const number = Number(value)
  const isValid = value !== undefined && value !== '' && Number.isInteger(number)
  return isValid && number >= 0 && number <= latestSecond ? number : undefined
}

/** The default without a span in the URL: an event ends, but its downloads remain. */
const standardOf = (event: number | undefined): Span => (event === undefined ? standardSpan : 'all')

/** Id of an event in the address. */
export const eventOf = (value: unknown): number | undefined =>
  /^[1-9]\d{0,14}$/.test(String(value)) ? Number(value) : undefined

/** Parses the range from a search object; drops invalid values. */
export function rangeSearch(search: Record<string, unknown>): RangeSearch {
  const id = eventOf(search['event'])
  const event = id === undefined ? {} : { event: id }
  const start = second(search['start'])
  const end = second(search['end'])
  if (start !== undefined && end !== undefined && end > start) return { start, end, ...event }
  const span = spans.find((known) => known === search['range'])
  return span === undefined || span === standardOf(id) ? event : { range: span, ...event }
}

export function readRange({ range, start, end, event }: RangeSearch): Range {
  const tagged = event === undefined ? {} : { event }
  if (start !== undefined && end !== undefined) return { from: start, to: end, ...tagged }
  return { span: spans.find((known) => known === range) ?? standardOf(event), ...tagged }
}

export function writeRange(range: Range): RangeSearch {
  const { event } = range
  if ('from' in range) return { range: undefined, start: range.from, end: range.to, event }
  const isStandard = range.span === standardOf(event)
  return { range: isStandard ? undefined : range.span, start: undefined, end: undefined, event }
}

/** The same search with every member of its range, so that navigation keeps none of the current one. */
export const withRange = <Search extends RangeSearch>(search: Search) => ({
  ...writeRange(readRange(search)),
  ...search,
})

/** Stable part of query keys: a span's key does not change with time. */
export const rangeKey = (range: Range): string => {
  const times = 'from' in range ? `${range.from}-${range.to}` : range.span
  return range.event === undefined ? times : `${times} event ${range.event}`
}

export interface Period {
  startTime: number
  endTime: number
}

const dayMs = 86_400_000

const isCalendar = (span: Span): span is CalendarSpan =>
  calendarSpans.some((known) => known === span)

/**
 * First second of a day, week or month in the user's zone: the one that contains `now`, or `back`
 * earlier ones.
 */
function startOf(span: CalendarSpan, now: Date, back: number): number {
  // Dates stand for themselves as midnights in UTC: days by the clock differ in length.
  const today = Date.parse(inputValue(now).slice(0, 10))
  const date = new Date(today)
  const first = {
    today: today - back * dayMs,
    yesterday: today - (1 + back) * dayMs,
    week: today - (((date.getUTCDay() - firstWeekday(region()) + 7) % 7) + 7 * back) * dayMs,
    month: Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - back, 1),
  }[span]
  return momentOf(new Date(first).toISOString().slice(0, 16)).getTime() / 1000
}

const minuteAfter = (now: Date): number => Math.ceil(now.getTime() / 60_000) * 60

/**
 * A range's moments, in whole minutes so that equal queries share one response; null for all time.
 */
export function periodOf(range: Range, now: Date): Period | null {
  if ('from' in range) return { startTime: range.from, endTime: range.to }
  if (range.span === 'all') return null
  const { span } = range
  const endTime = minuteAfter(now)
  if (!isCalendar(span)) return { startTime: endTime - hours[span] * 3600, endTime }
  const startTime = startOf(span, now, 0)
  // Ends are inclusive: midnight belongs to the next day.
  return { startTime, endTime: span === 'yesterday' ? startOf('today', now, 0) - 1 : endTime }
}

/**
 * The preceding span of the same length; null for all time. Of a day, week or month that still
 * lasts: the one before, up to the same time, because mornings compare with mornings.
 */
export function periodBefore(range: Range, now: Date): Period | null {
  const period = periodOf(range, now)
  if (period === null) return null
  const length = period.endTime - period.startTime
  if ('span' in range && isCalendar(range.span)) {
    const startTime = startOf(range.span, now, 1)
    const last = period.startTime - 1
    const endTime = range.span === 'yesterday' ? last : Math.min(startTime + length, last)
    return { startTime, endTime }
  }
  const startTime = period.startTime - length
  return startTime < 0 ? null : { startTime, endTime: period.startTime }
}
