import { keepPreviousData, queryOptions, useQuery, type QueryClient } from '@tanstack/react-query'
import type { DownloadsQuery } from '../app/search-state.ts'
import { periodBefore, periodOf, rangeKey, type Range } from '../app/range.ts'
import { readBatch } from './batch.ts'
import { api, unwrap } from './eden.ts'
import { keys } from './keys.ts'
import { isHistoryAway } from './refusal.ts'
import type {
  AuthStatus,
  Batch,
  ClientStats,
  DashboardStats,
  DownloadDetail,
  DownloadPage,
  OperationsOverview,
  ServiceStatus,
  SetupStatus,
  SystemConfig,
} from './wire.ts'

const minuteMs = 60_000
const awayMs = 5000
const recentOperations = 20

/** While the history is away: as often as the server asks for. */
export const pollWhileAway =
  (everyMs: number | false) =>
  ({ state }: { state: { error: Error | null } }): number | false =>
    isHistoryAway(state.error) ? (state.error.retryAfterSeconds ?? 0) * 1000 || awayMs : everyMs

const statusQuery = queryOptions({
  queryKey: keys.status,
  queryFn: ({ signal }): Promise<AuthStatus> => unwrap(api.auth.status.get({ fetch: { signal } })),
  // Every call renews the session's token, so it is asked for only when something happened.
  staleTime: Number.POSITIVE_INFINITY,
  refetchOnWindowFocus: false,
  refetchInterval: ({ state }) => (state.status === 'error' ? 3000 : false),
})
export const useStatus = () => useQuery(statusQuery)

/** Account holders see addresses and the state of the service; guests do not. */
export function useIsAccount(): boolean {
  const { data } = useStatus()
  return data?.sessionType === 'admin' || data?.sessionType === 'user'
}

const setupQuery = queryOptions({
  queryKey: keys.setup,
  queryFn: ({ signal }): Promise<SetupStatus> =>
    unwrap(api.system.setup.get({ fetch: { signal } })),
  refetchInterval: ({ state }) => (state.data?.accountExists === null ? 3000 : false),
})
export const useSetup = () => useQuery(setupQuery)

/** What every page needs first, asked for while the texts are still on their way. */
export function prefetchFirst(queries: QueryClient): void {
  void queries.prefetchQuery(statusQuery)
  void queries.prefetchQuery(setupQuery)
}

export const useConfig = () =>
  useQuery({
    queryKey: keys.config,
    queryFn: ({ signal }): Promise<SystemConfig> =>
      unwrap(api.system.config.get({ fetch: { signal } })),
    staleTime: minuteMs,
  })

export function useServiceStatus() {
  const isAccount = useIsAccount()
  return useQuery({
    queryKey: keys.service,
    queryFn: ({ signal }): Promise<ServiceStatus> =>
      unwrap(api.ext.status.get({ fetch: { signal } })),
    enabled: isAccount,
    refetchInterval: 5000,
  })
}

export function useOperations() {
  const isAccount = useIsAccount()
  return useQuery({
    queryKey: keys.operations,
    queryFn: ({ signal }): Promise<OperationsOverview> =>
      unwrap(
        api.ext.operations.get({
          query: { limit: recentOperations, includeSilent: false },
          fetch: { signal },
        }),
      ),
    enabled: isAccount,
    refetchInterval: 30_000,
  })
}

/** Times and event of a range as most reports take them. */
export const scopeQuery = (range: Range) => ({
  ...periodOf(range, new Date()),
  ...(range.event === undefined ? {} : { eventId: range.event }),
})

export const useBatch = (range: Range) =>
  useQuery({
    queryKey: [...keys.batch, rangeKey(range)],
    queryFn: ({ signal }): Promise<Batch> => {
      const query = scopeQuery(range)
      return unwrap(api.dashboard.batch.get({ query, fetch: { signal } })).then(readBatch)
    },
    placeholderData: keepPreviousData,
    refetchInterval: pollWhileAway(minuteMs),
  })

/** Totals of the span before, for "against the day before". */
export function useBefore(range: Range) {
  return useQuery({
    queryKey: [...keys.before, rangeKey(range)],
    queryFn: async ({ signal }): Promise<DashboardStats | null> => {
      const query = periodBefore(periodOf(range, new Date()))
      if (query === null) return null
      return unwrap(api.stats.dashboard.get({ query, fetch: { signal } }))
    },
    // Before all time there was nothing, and an event has no day before.
    enabled: range.event === undefined && rangeKey(range) !== 'all',
    staleTime: 5 * minuteMs,
  })
}

export function useClients(range: Range, limit = 1000) {
  const isAccount = useIsAccount()
  return useQuery({
    queryKey: [...keys.clients, rangeKey(range), limit],
    queryFn: ({ signal }): Promise<ClientStats[]> => {
      const query = { ...scopeQuery(range), limit }
      return unwrap(api.stats.clients.get({ query, fetch: { signal } }))
    },
    placeholderData: keepPreviousData,
    enabled: isAccount,
    refetchInterval: pollWhileAway(false),
  })
}

/** A page of the downloads list; the range is resolved when the question is asked. */
export function readDownloads(
  query: DownloadsQuery,
  range: Range,
  signal?: AbortSignal,
): Promise<DownloadPage> {
  const period = periodOf(range, new Date())
  const times = period === null ? {} : { StartTime: period.startTime, EndTime: period.endTime }
  const tagged = range.event === undefined ? {} : { EventId: range.event }
  const options = signal === undefined ? {} : { fetch: { signal } }
  return unwrap(api.downloads.retro.get({ query: { ...query, ...times, ...tagged }, ...options }))
}

export const useDownloads = (query: DownloadsQuery, range: Range) =>
  useQuery({
    queryKey: [...keys.downloads, query, rangeKey(range)],
    queryFn: ({ signal }) => readDownloads(query, range, signal),
    placeholderData: keepPreviousData,
    refetchInterval: pollWhileAway(false),
  })

/** Games by bytes; grows with the downloads. */
export const useGames = (query: DownloadsQuery, range: Range) =>
  useQuery({
    queryKey: [...keys.games, query, rangeKey(range)],
    queryFn: ({ signal }) => readDownloads({ ...query, GroupByGame: true }, range, signal),
    placeholderData: keepPreviousData,
    refetchInterval: pollWhileAway(minuteMs),
  })

export const useDownload = (id: number) =>
  useQuery({
    queryKey: [...keys.download, id],
    queryFn: ({ signal }): Promise<DownloadDetail> =>
      unwrap(api.downloads({ id }).get({ fetch: { signal } })),
    refetchInterval: pollWhileAway(false),
  })

const namesRange: Range = { span: '30d' }

/** What people call the clients, by address; guests get addresses only. */
export function useClientNames(): Record<string, string> {
  const { data } = useClients(namesRange)
  const names: Record<string, string> = {}
  for (const { clientIp, displayName, groupMemberIps } of data ?? []) {
    if (displayName === null) continue
    for (const ip of groupMemberIps ?? [clientIp]) names[ip] = displayName
  }
  return names
}
