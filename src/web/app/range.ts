import type { Key } from '../locales/translate.ts'

/** Spans available everywhere; the value is part of the URL (`?range=7d`). */
export const spans = ['1h', '6h', '12h', '24h', '7d', '30d', '365d', 'all'] as const
export type Span = (typeof spans)[number]

const hours: Record<Exclude<Span, 'all'>, number> = {
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

/**
 * A range's moments, in whole minutes so that equal queries share one response; null for all time.
 */
export function periodOf(range: Range, now: Date): Period | null {
  if ('from' in range) return { startTime: range.from, endTime: range.to }
  if (range.span === 'all') return null
  const endTime = Math.ceil(now.getTime() / 60_000) * 60
  return { startTime: endTime - hours[range.span] * 3600, endTime }
}

/** The preceding span of the same length; null for all time. */
export function periodBefore(period: Period | null): Period | null {
  if (period === null) return null
  const length = period.endTime - period.startTime
  const startTime = period.startTime - length
  return startTime < 0 ? null : { startTime, endTime: period.startTime }
}

export const spanLabels: Record<Span, Key> = {
  '1h': 'range.1h',
  '6h': 'range.6h',
  '12h': 'range.12h',
  '24h': 'range.24h',
  '7d': 'range.7d',
  '30d': 'range.30d',
  '365d': 'range.365d',
  all: 'range.all',
}
