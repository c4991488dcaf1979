import type { Key } from '../locales/translate.ts'

/** Spans offered everywhere; the value stands in the address (`?range=7d`). */
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

/** A named span up to now, or two fixed moments (Unix seconds). */
export type Range = { span: Span } | { from: number; to: number }

export interface RangeSearch {
  range?: string | undefined
  from?: number | undefined
  to?: number | undefined
}

export const standardSpan: Span = '24h'
const latestSecond = 253_402_300_799

const second = (value: unknown): number | undefined => {
  const number = Number(value)
  const isValid = value !== undefined && value !== '' && Number.isInteger(number)
  return isValid && number >= 0 && number <= latestSecond ? number : undefined
}

/** Reads the range out of a search object; anything that makes no sense is left out. */
export function rangeSearch(search: Record<string, unknown>): RangeSearch {
  const from = second(search['from'])
  const to = second(search['to'])
  if (from !== undefined && to !== undefined && to > from) return { from, to }
  const span = spans.find((known) => known === search['range'])
  return span === undefined || span === standardSpan ? {} : { range: span }
}

export function readRange({ range, from, to }: RangeSearch, standard = standardSpan): Range {
  if (from !== undefined && to !== undefined) return { from, to }
  return { span: spans.find((known) => known === range) ?? standard }
}

export function writeRange(range: Range): RangeSearch {
  if ('from' in range) return { range: undefined, from: range.from, to: range.to }
  const isStandard = range.span === standardSpan
  return { range: isStandard ? undefined : range.span, from: undefined, to: undefined }
}

/** Stable part of query keys; a span keeps its key while its moments move on. */
export const rangeKey = (range: Range): string =>
  'from' in range ? `${range.from}-${range.to}` : range.span

export interface Period {
  startTime: number
  endTime: number
}

/** Moments of a range, whole minutes so that equal questions share one answer; null for all time. */
export function periodOf(range: Range, now: Date): Period | null {
  if ('from' in range) return { startTime: range.from, endTime: range.to }
  if (range.span === 'all') return null
  const endTime = Math.ceil(now.getTime() / 60_000) * 60
  return { startTime: endTime - hours[range.span] * 3600, endTime }
}

/** The span of the same length just before; nothing comes before all time. */
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
