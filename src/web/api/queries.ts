import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { periodBefore, periodOf, rangeKey, type Range } from '../app/range.ts'
import { get, type Query } from './http.ts'
import { keys } from './keys.ts'
import { isHistoryAway } from './refusal.ts'
import type {
  AuthStatus,
  Batch,
  ClientStats,
  DashboardStats,
  DownloadDetail,
  DownloadPage,
  Hostnames,
  OperationsOverview,
  ServiceStatus,
  SetupStatus,
  SystemConfig,
} from './wire.ts'

const minuteMs = 60_000
const awayMs = 5000

/** While the history is away: as often as the server asks for. */
const pollWhileAway =
  (everyMs: number | false) =>
  ({ state }: { state: { error: Error | null } }): number | false =>
    isHistoryAway(state.error) ? (state.error.retryAfterSeconds ?? 0) * 1000 || awayMs : everyMs

export const useStatus = () =>
  useQuery({
    queryKey: keys.status,
    queryFn: ({ signal }) => get<AuthStatus>('/api/auth/status', {}, signal),
    // Every call renews the session's token, so it is asked for only when something happened.
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    refetchInterval: ({ state }) => (state.status === 'error' ? 3000 : false),
  })

/** Account holders see addresses and the state of the service; guests do not. */
export function useIsAccount(): boolean {
  const { data } = useStatus()
  return data?.sessionType === 'admin' || data?.sessionType === 'user'
}

export const useSetup = () =>
  useQuery({
    queryKey: keys.setup,
    queryFn: ({ signal }) => get<SetupStatus>('/api/system/setup', {}, signal),
    refetchInterval: ({ state }) => (state.data?.accountExists === null ? 3000 : false),
  })

export const useConfig = () =>
  useQuery({
    queryKey: keys.config,
    queryFn: ({ signal }) => get<SystemConfig>('/api/system/config', {}, signal),
    staleTime: minuteMs,
  })

export function useServiceStatus() {
  const isAccount = useIsAccount()
  return useQuery({
    queryKey: keys.service,
    queryFn: ({ signal }) => get<ServiceStatus>('/api/ext/status', {}, signal),
    enabled: isAccount,
    refetchInterval: 5000,
  })
}

export function useOperations() {
  const isAccount = useIsAccount()
  return useQuery({
    queryKey: keys.operations,
    queryFn: ({ signal }) => get<OperationsOverview>('/api/ext/operations', {}, signal),
    enabled: isAccount,
    refetchInterval: 30_000,
  })
}

/** Names of client addresses; without an answer the addresses themselves are shown. */
export const useHostnames = () =>
  useQuery({
    queryKey: keys.hostnames,
    queryFn: ({ signal }) => get<Hostnames>('/api/clients/hostnames', {}, signal),
    staleTime: 5 * minuteMs,
  })

export const useBatch = (range: Range) =>
  useQuery({
    queryKey: [...keys.batch, rangeKey(range)],
    queryFn: ({ signal }) =>
      get<Batch>('/api/dashboard/batch', { ...periodOf(range, new Date()) }, signal),
    placeholderData: keepPreviousData,
    refetchInterval: pollWhileAway(minuteMs),
  })

/** Totals of the span before, for "against the day before". */
export function useBefore(range: Range) {
  return useQuery({
    queryKey: [...keys.before, rangeKey(range)],
    queryFn: ({ signal }) => {
      const period = periodBefore(periodOf(range, new Date()))
      if (period === null) return null
      return get<DashboardStats>('/api/stats/dashboard', { ...period }, signal)
    },
    enabled: rangeKey(range) !== 'all',
    staleTime: 5 * minuteMs,
  })
}

export function useClients(range: Range, limit = 1000) {
  const isAccount = useIsAccount()
  return useQuery({
    queryKey: [...keys.clients, rangeKey(range), limit],
    queryFn: ({ signal }) =>
      get<ClientStats[]>('/api/stats/clients', { ...periodOf(range, new Date()), limit }, signal),
    placeholderData: keepPreviousData,
    enabled: isAccount,
    refetchInterval: pollWhileAway(false),
  })
}

/** A page of the downloads list; the range is resolved when the question is asked. */
export const readDownloads = (query: Query, range: Range, signal?: AbortSignal) => {
  const period = periodOf(range, new Date())
  const times = period === null ? {} : { StartTime: period.startTime, EndTime: period.endTime }
  return get<DownloadPage>('/api/downloads/retro', { ...query, ...times }, signal)
}

export const useDownloads = (query: Query, range: Range) =>
  useQuery({
    queryKey: [...keys.downloads, query, rangeKey(range)],
    queryFn: ({ signal }) => readDownloads(query, range, signal),
    placeholderData: keepPreviousData,
    refetchInterval: pollWhileAway(false),
  })

/** Games by bytes; grows with the downloads. */
export const useGames = (query: Query, range: Range) =>
  useQuery({
    queryKey: [...keys.games, query, rangeKey(range)],
    queryFn: ({ signal }) => readDownloads({ ...query, GroupByGame: true }, range, signal),
    placeholderData: keepPreviousData,
    refetchInterval: pollWhileAway(minuteMs),
  })

export const useDownload = (id: number) =>
  useQuery({
    queryKey: [...keys.download, id],
    queryFn: ({ signal }) => get<DownloadDetail>(`/api/downloads/${id}`, {}, signal),
    refetchInterval: pollWhileAway(false),
  })
