import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { CachedDetection, DetectedGame, DetectedService } from '../../api/cache/games/model.ts'
import { api, unwrap } from './eden.ts'
import { keys } from './keys.ts'
import { pollWhileAway, useIsAccount } from './queries.ts'

export type { CachedDetection, DetectedGame, DetectedService }

const daySeconds = 86_400
/** Sizes are measured once an hour. */
const historyStaleMs = 10 * 60_000
/** Rights and disks change without a message. */
const factsEveryMs = 30_000
/** While a walk goes on its state is asked for. */
const walkEveryMs = 4000

export const useCacheInfo = () =>
  useQuery({
    queryKey: [...keys.cache, 'info'],
    queryFn: ({ signal }) => unwrap(api.cache.get({ fetch: { signal } })),
    enabled: useIsAccount(),
    refetchInterval: factsEveryMs,
  })

/** What the last scan found; null before the first. */
export const useCacheSize = () =>
  useQuery({
    queryKey: [...keys.cache, 'size'],
    queryFn: async ({ signal }) => {
      const answer = await unwrap(api.cache.size.get({ query: {}, fetch: { signal } }))
      return 'available' in answer && answer.available ? answer : null
    },
    enabled: useIsAccount(),
  })

export const useIndexStates = () =>
  useQuery({
    queryKey: [...keys.cache, 'index'],
    queryFn: ({ signal }) => unwrap(api.ext.cache.index.get({ fetch: { signal } })),
    enabled: useIsAccount(),
    refetchInterval: ({ state }) =>
      state.data?.items.some((item) => item.state === 'walking') === true
        ? walkEveryMs
        : factsEveryMs,
  })
export type IndexState = NonNullable<ReturnType<typeof useIndexStates>['data']>['items'][number]

/** Rights, keys and disk of each cache. */
export const useDatasources = () =>
  useQuery({
    queryKey: [...keys.cache, 'datasources'],
    queryFn: ({ signal }) => unwrap(api.ext.datasources.get({ fetch: { signal } })),
    enabled: useIsAccount(),
    refetchInterval: factsEveryMs,
  })
export type DatasourceFacts = NonNullable<
  ReturnType<typeof useDatasources>['data']
>['items'][number]

/** Measured sizes of so many days. */
export const useSizeHistory = (days: number) =>
  useQuery({
    queryKey: [...keys.cache, 'history', days],
    queryFn: ({ signal }) => {
      const end = Math.floor(Date.now() / 1000)
      const query = { start: end - days * daySeconds, end }
      return unwrap(api.ext.cache.history.get({ query, fetch: { signal } }))
    },
    placeholderData: keepPreviousData,
    staleTime: historyStaleMs,
    refetchInterval: pollWhileAway(historyStaleMs),
  })

/** Games and services of the last detection, with those that are gone. */
export const useDetection = () =>
  useQuery({
    queryKey: [...keys.cache, 'games'],
    queryFn: ({ signal }): Promise<CachedDetection> =>
      unwrap(api.games.detect.cached.get({ fetch: { signal } })),
    enabled: useIsAccount(),
    refetchInterval: pollWhileAway(false),
  })

/** Titles that no catalogue knows, and names given by hand. */
export const useUnnamed = () =>
  useQuery({
    queryKey: [...keys.cache, 'unnamed'],
    queryFn: ({ signal }) => unwrap(api.ext.games.unnamed.get({ fetch: { signal } })),
    enabled: useIsAccount(),
    refetchInterval: pollWhileAway(false),
  })
export type UnnamedTitle = NonNullable<ReturnType<typeof useUnnamed>['data']>[number]

/** Paths of the files of one entry, by its key. */
export const useGameFiles = (game: string) =>
  useQuery({
    queryKey: [...keys.cache, 'files', game],
    queryFn: ({ signal }) =>
      unwrap(api.ext.games.files.get({ query: { game }, fetch: { signal } })),
    retry: false,
  })

export const useEvictionSettings = () =>
  useQuery({
    queryKey: [...keys.cache, 'eviction'],
    queryFn: ({ signal }) => unwrap(api.stats.eviction.get({ fetch: { signal } })),
    enabled: useIsAccount(),
  })
export type EvictionSettings = NonNullable<ReturnType<typeof useEvictionSettings>['data']>

/** How files are deleted when a whole cache is cleared. */
export const useDeleteMode = () =>
  useQuery({
    queryKey: [...keys.cache, 'deleteMode'],
    queryFn: async ({ signal }) =>
      (await unwrap(api.system.config.get({ fetch: { signal } }))).cacheDeleteMode,
    enabled: useIsAccount(),
  })
export type DeleteMode = NonNullable<ReturnType<typeof useDeleteMode>['data']>

const scans = {
  games: (signal: AbortSignal) => unwrap(api.games.detect.active.get({ fetch: { signal } })),
  size: (signal: AbortSignal) => unwrap(api.cache.size.scan.status.get({ fetch: { signal } })),
  evicted: (signal: AbortSignal) =>
    unwrap(api.stats.eviction.scan.status.get({ fetch: { signal } })),
}

/** Whether a scan is under way; those by the clock count too, which are not among the operations. */
export function useIsScanning(kind: keyof typeof scans): boolean {
  const { data } = useQuery({
    queryKey: [...keys.cache, 'scan', kind],
    queryFn: async ({ signal }) => (await scans[kind](signal)).isProcessing,
    enabled: useIsAccount(),
    refetchInterval: ({ state }) => (state.data === true ? walkEveryMs : false),
  })
  return data === true
}
