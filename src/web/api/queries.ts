import {
  keepPreviousData,
  queryOptions,
  useQuery,
  type QueryClient,
  type QueryKey,
  type UseQueryOptions,
} from '@tanstack/react-query'
import { isZone } from '../app/preferences.ts'
import { periodBefore, periodOf, rangeKey, type Range } from '../app/range.ts'
import { readBatch } from './batch.ts'
import { api, unwrap, type Answer, keys, pollWhileAway, whileUnreachable } from './client.ts'

const minuteMs = 60_000
const recentOperations = 20

const statusQuery = queryOptions({
  queryKey: keys.status,
  // Never aborted: the cookie of an answer that is not received would be lost, and the session
  // with it half a minute later.
  queryFn: () => unwrap(api.auth.status.get()),
  // Every call rotates the session's token, so it is read only after an event.
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
  queryFn: ({ signal }) => unwrap(api.system.setup.get({ fetch: { signal } })),
  refetchInterval: (query) =>
    query.state.data?.accountExists === null ? 3000 : whileUnreachable(query),
})
export const useSetup = () => useQuery(setupQuery)

export const useChecklist = (options: ReadOptions<SetupChecklist, SetupChecklist>) =>
  useRead(keys.checklist, api.ext.setup.checklist.get, options)

/** Starts the queries that every page needs while the locale files are still loading. */
export function prefetchFirst(queries: QueryClient): void {
  void queries.prefetchQuery(statusQuery)
  void queries.prefetchQuery(setupQuery)
}

/** Passed to a query's call, which is aborted together with the query. */
export interface Asking {
  fetch: { signal: AbortSignal }
}

type ReadOptions<Data, Shown> = Omit<
  UseQueryOptions<Data, Error, Shown>,
  'queryKey' | 'queryFn' | 'select'
> & { select?: (data: NoInfer<Data>) => Shown }

/** A query that consists of one API call. */
export const useRead = <Data, Shown = Data>(
  queryKey: QueryKey,
  call: (asking: Asking) => Promise<Answer<Data>>,
  options: ReadOptions<Data, Shown> = {},
) =>
  useQuery<Data, Error, Shown>({
    ...options,
    queryKey,
    queryFn: ({ signal }) => unwrap(call({ fetch: { signal } })),
  })

/** The same for responses that guests may not read. */
export const useAccountRead: typeof useRead = (queryKey, call, options) =>
  useRead(queryKey, call, { ...options, enabled: useIsAccount() })

/** What kind of device each client is, as far as it is known; account holders only. */
export const useDevices = () =>
  useAccountRead(keys.devices, api.ext.clients.devices.get, { staleTime: 60_000 })

export const useConfig = () => useRead(keys.config, api.system.config.get, { staleTime: minuteMs })

/** The zone of months and times of day that the service keeps; undefined if the browser lacks it. */
export function useServerZone(): string | undefined {
  const zone = useConfig().data?.timeZone ?? ''
  return isZone(zone) ? zone : undefined
}

/** What saved bytes are converted with. */
export const useSavings = () => useRead(keys.savings, api.ext.savings.get, { staleTime: minuteMs })

const statusEveryMs = 5000
export const useServiceStatus = () =>
  useAccountRead(keys.service, api.ext.status.get, { refetchInterval: statusEveryMs })

/** Share of the logs read so far, while they are read for the first time. */
export function useFirstRead(): number | null {
  const { data } = useAccountRead(keys.service, api.ext.status.get, {
    staleTime: statusEveryMs,
    refetchInterval: ({ state }) => isFirstRead(state.data) && statusEveryMs,
  })
  return data?.ingest.firstReadPercent ?? null
}
const isFirstRead = (status: ServiceStatus | undefined): boolean =>
  status !== undefined && status.ingest.firstReadPercent !== null

export const useOperations = () =>
  useAccountRead(
    keys.operations,
    (asking) =>
      api.ext.operations.get({
        query: { limit: recentOperations, includeSilent: false },
        ...asking,
      }),
    { refetchInterval: 30_000 },
  )

/** Times and event of a range, as query parameters. */
export const scopeQuery = (
  range: Range,
): { startTime?: number; endTime?: number; eventId?: number } => ({
  ...periodOf(range, new Date()),
  ...(range.event === undefined ? {} : { eventId: range.event }),
})

export const useBatch = (range: Range) =>
  useQuery({
    queryKey: [...keys.batch, rangeKey(range)],
    queryFn: async ({ signal, client, queryKey }): Promise<Batch> => {
      const query = scopeQuery(range)
      const answer = await unwrap(api.dashboard.batch.get({ query, fetch: { signal } }))
      return readBatch(answer, client.getQueryData<Batch>(queryKey))
    },
    placeholderData: keepPreviousData,
    refetchInterval: pollWhileAway(minuteMs),
  })

/** Totals of the preceding period, for "vs. previous day". */
export function useBefore(range: Range) {
  return useQuery({
    queryKey: [...keys.before, rangeKey(range)],
    queryFn: async ({ signal }) => {
      const query = periodBefore(range, new Date())
      if (query === null) return null
      return unwrap(api.stats.dashboard.get({ query, fetch: { signal } }))
    },
    // "All time" and events have no period before them.
    enabled: range.event === undefined && rangeKey(range) !== 'all',
    staleTime: 5 * minuteMs,
  })
}

const clientsMax = 1000

export const useClients = (range: Range) =>
  useAccountRead(
    [...keys.clients, rangeKey(range)],
    (asking) =>
      api.stats.clients.get({ query: { ...scopeQuery(range), limit: clientsMax }, ...asking }),
    { placeholderData: keepPreviousData },
  )

/** Times and event of a range, as parameters of the downloads list. */
export function listedTimes(range: Range) {
  const { startTime, endTime, eventId } = scopeQuery(range)
  return { StartTime: startTime, EndTime: endTime, EventId: eventId }
}

/** A page of the downloads list; the range is resolved at the time of the call. */
export function readDownloads(query: DownloadsQuery, range: Range, signal?: AbortSignal) {
  const options = signal === undefined ? {} : { fetch: { signal } }
  return unwrap(api.downloads.retro.get({ query: { ...query, ...listedTimes(range) }, ...options }))
}

export const useDownloads = (query: DownloadsQuery, range: Range) =>
  useQuery({
    queryKey: [...keys.downloads, query, rangeKey(range)],
    queryFn: ({ signal }) => readDownloads(query, range, signal),
    placeholderData: keepPreviousData,
  })

/** Games by bytes, updated with new downloads. */
export const useGames = (query: DownloadsQuery, range: Range) =>
  useQuery({
    queryKey: [...keys.games, query, rangeKey(range)],
    queryFn: ({ signal }) => readDownloads({ ...query, GroupByGame: true }, range, signal),
    placeholderData: keepPreviousData,
    refetchInterval: pollWhileAway(minuteMs),
  })

/** The largest games of the range by what its sums count. */
export const useCountedGames = (count: number, range: Range) =>
  useGames({ Sort: 'largest', PageSize: count, includeExcluded: false }, range)

export const useDownload = (id: number) =>
  useRead([...keys.download, id], api.downloads({ id }).get)

const namesRange: Range = { span: '30d' }

/** Display names of clients by address; guests get addresses only. */
export function useClientNames(): Record<string, string> {
  const { data } = useClients(namesRange)
  const names: Record<string, string> = {}
  for (const { clientIp, displayName, groupMemberIps } of data ?? []) {
    if (displayName === null) continue
    for (const ip of groupMemberIps ?? [clientIp]) names[ip] = displayName
  }
  return names
}

/** Response types used by several pages, derived from the routes. */

export type { GameSpeed } from '../../engines/logs/wire.ts'

/** Body of a successful call of the typed client. */
type AnswerOf<Call extends (...options: never) => Promise<{ data: unknown }>> = NonNullable<
  Awaited<ReturnType<Call>>['data']
>

export type AuthStatus = AnswerOf<typeof api.auth.status.get>
export type SystemConfig = AnswerOf<typeof api.system.config.get>
export type ServiceStatus = AnswerOf<typeof api.ext.status.get>
export type SetupChecklist = AnswerOf<typeof api.ext.setup.checklist.get>
export type SetupCheck = SetupChecklist['checks'][number]
export type Mismatch = NonNullable<ServiceStatus['ingest']['mismatch']>
export type CacheInfo = AnswerOf<typeof api.cache.get>
export type ClientStats = AnswerOf<typeof api.stats.clients.get>[number]
export type OperationsOverview = AnswerOf<typeof api.ext.operations.get>
export type Operation = OperationsOverview['running'][number]
/** A queued job, with the job it waits for. */
export type ParkedOperation = OperationsOverview['waiting'][number]
/** Filters of the downloads list; undefined ones are left out of the URL. */
export type DownloadsQuery = NonNullable<
  NonNullable<Parameters<typeof api.downloads.retro.get>[0]>['query']
>
export type DownloadRow = AnswerOf<typeof api.downloads.retro.get>['items'][number]
export type DownloadDetail = AnswerOf<ReturnType<typeof api.downloads>['get']>
export type Download = DownloadDetail['download']

type BatchAnswer = AnswerOf<typeof api.dashboard.batch.get>
export type ServiceStats = BatchAnswer['services']['items'][number]
export type Sparklines = BatchAnswer['sparklines']
/** The sections of the overview; null where one could not be computed. */
export type Batch = Partial<ReturnType<typeof readBatch>>
