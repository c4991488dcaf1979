import { periodOf } from '../reports/scope.ts'
import { serviceNames } from '../reports/numbers.ts'
import type { Period } from '../reports/range.ts'

export const pageSizeDefault = 50
export const pageSizeMax = 200
/** Deeper pages would make the database sort millions of rows for one answer. */
export const pageMax = 100_000

export const retroSorts = [
  'latest',
  'oldest',
  'largest',
  'smallest',
  'efficiency',
  'efficiency-low',
  'sessions',
  'alphabetical',
  'service',
] as const
export type RetroSort = (typeof retroSorts)[number]

/** Query members as on the wire. */
export interface RetroParameters {
  Page?: number | undefined
  PageSize?: number | undefined
  Sort?: string | undefined
  Service?: string | undefined
  Client?: string | undefined
  Search?: string | undefined
  HideLocalhost?: boolean | undefined
  ShowZeroBytes?: boolean | undefined
  HideUnknown?: boolean | undefined
  GroupByGame?: boolean | undefined
  GroupByService?: boolean | undefined
  StartTime?: number | undefined
  EndTime?: number | undefined
  EventId?: number | undefined
  HitMiss?: string | undefined
  includePrefill?: boolean | undefined
}

export interface RetroQuery {
  page: number
  pageSize: number
  sort: RetroSort
  services: string[] | null
  client: string | null
  search: string | null
  hideLocalhost: boolean
  showZeroBytes: boolean
  hideUnknown: boolean
  merge: 'none' | 'game' | 'service'
  period: Period
  eventId: number | null
  hitMiss: 'all' | 'hit' | 'miss'
  includePrefill: boolean
  /** Hidden clients. */
  without: readonly string[]
}

const given = (value: string | undefined): string | null => {
  const text = value?.trim() ?? ''
  return text === '' || text.toLowerCase() === 'all' ? null : text
}

const clamp = (value: number, min: number, max: number) => Math.min(max, Math.max(min, value))

/** Unknown words mean the default, numbers are brought into their limits. */
export function retroQueryOf(parameters: RetroParameters): RetroQuery {
  const service = given(parameters.Service)
  const hitMiss = parameters.HitMiss?.toLowerCase()
  const mergeGame = parameters.GroupByGame === true ? 'game' : 'none'
  const search = parameters.Search?.trim() ?? ''
  return {
    page: clamp(parameters.Page ?? 1, 1, pageMax),
    pageSize: clamp(parameters.PageSize ?? pageSizeDefault, 1, pageSizeMax),
    sort: retroSorts.find((sort) => sort === parameters.Sort?.toLowerCase()) ?? 'latest',
    services: service === null ? null : serviceNames(service),
    client: given(parameters.Client),
    search: search === '' ? null : search.toLowerCase(),
    hideLocalhost: parameters.HideLocalhost ?? false,
    showZeroBytes: parameters.ShowZeroBytes ?? false,
    hideUnknown: parameters.HideUnknown ?? false,
    merge: parameters.GroupByService === true ? 'service' : mergeGame,
    period: periodOf(parameters.StartTime, parameters.EndTime),
    eventId: parameters.EventId ?? null,
    hitMiss: hitMiss === 'hit' || hitMiss === 'miss' ? hitMiss : 'all',
    includePrefill: parameters.includePrefill ?? false,
    without: [],
  }
}
