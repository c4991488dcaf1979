import { keepPreviousData } from '@tanstack/react-query'
import type {
  DownloadsSummary,
  GameReport,
  ServiceReport,
  Traffic,
} from '../../downloads/games/model.ts'
import { rangeKey, type Range } from '../app/range.ts'
import { api, keys } from './client.ts'
import { listedTimes, scopeQuery, useAccountRead, useRead, type DownloadsQuery } from './queries.ts'

export type { DownloadsSummary, GameReport, ServiceReport, Traffic }

const held = { placeholderData: keepPreviousData } as const

/** How many months of single downloads are kept, and since when all are there. */
export const useHistoryRetention = () =>
  useAccountRead([...keys.database, 'retention'], api.ext.history.retention.get, {
    staleTime: 60_000,
  })

/** One game over all time. */
export const useGameReport = (service: string, id: string) =>
  useRead([...keys.games, 'report', service, id], (asking) =>
    api.ext
      .games({ service })({ id })
      .get({ query: {}, ...asking }),
  )

/** One service over all time. */
export const useServiceReport = (service: string) =>
  useRead([...keys.games, 'service', service], (asking) =>
    api.ext.services({ service }).get({ query: {}, ...asking }),
  )

/** Bytes of one game over the range. */
export const useGameTraffic = (service: string, id: string, range: Range) =>
  useRead(
    [...keys.games, 'traffic', service, id, rangeKey(range)],
    (asking) =>
      api.ext
        .games({ service })({ id })
        .traffic.get({ query: scopeQuery(range), ...asking }),
    held,
  )

/** Bytes of one service over the range. */
export const useServiceTraffic = (service: string, range: Range) =>
  useRead(
    [...keys.games, 'service traffic', service, rangeKey(range)],
    (asking) => api.ext.services({ service }).traffic.get({ query: scopeQuery(range), ...asking }),
    held,
  )

/** Bytes of one client over the range, also by hour of the day. */
export const useClientTraffic = (ip: string, range: Range) =>
  useAccountRead(
    [...keys.clients, 'traffic', ip, rangeKey(range)],
    (asking) => api.ext.clients({ ip }).traffic.get({ query: scopeQuery(range), ...asking }),
    held,
  )

/** Sums over all downloads of the range that match the filters. */
export const useSummary = (query: DownloadsQuery, range: Range) => {
  // None changes the sums.
  const { Page: _page, PageSize: _size, Sort: _sort, includeExcluded: _all, ...filters } = query
  return useRead(
    [...keys.games, 'summary', filters, rangeKey(range)],
    (asking) =>
      api.ext.downloads.summary.get({ query: { ...filters, ...listedTimes(range) }, ...asking }),
    held,
  )
}

/** The sessions of one row of the list, newest first. */
export const useSessionsOf = (ids: string) =>
  useRead([...keys.download, 'sessions', ids], (asking) =>
    api.ext.downloads.get({ query: { ids }, ...asking }),
  )
