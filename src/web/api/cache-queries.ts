import { keepPreviousData } from '@tanstack/react-query'
import type { CachedDetection, DetectedGame, DetectedService } from '../../cache/games/model.ts'
import { api, keys, pollWhileAway } from './client.ts'
import { useAccountRead, useRead } from './queries.ts'

export type { CachedDetection, DetectedGame, DetectedService }

const daySeconds = 86_400
/** Sizes are measured once an hour. */
const historyStaleMs = 10 * 60_000
/** How full disks are changes without an event. */
const factsEveryMs = 30_000
/** Polling interval while a walk is running. */
const walkEveryMs = 4000

export const useCacheInfo = () =>
  useAccountRead([...keys.cache, 'info'], api.cache.get, { refetchInterval: factsEveryMs })

/** Cache servers that are away, which the figures of these pages lack. */
export const useAway = () => useCacheInfo().data?.away ?? []

/** Removals of which a cache server has yet to do its part. */
export const useLaterRemovals = () =>
  useAccountRead([...keys.cache, 'later'], api.ext.cache.removals.later.get, {
    select: ({ items }) => items,
  })

/** The last scan's result; null before the first. */
export const useCacheSize = () =>
  useAccountRead(
    [...keys.cache, 'size'],
    (asking) => api.cache.size.get({ query: {}, ...asking }),
    { select: (answer) => ('available' in answer && answer.available ? answer : null) },
  )

export const useIndexStates = () =>
  useAccountRead([...keys.cache, 'index'], api.ext.cache.index.get, {
    refetchInterval: ({ state }) =>
      state.data?.items.some((item) => item.state === 'walking') === true
        ? walkEveryMs
        : factsEveryMs,
  })
export type IndexState = NonNullable<ReturnType<typeof useIndexStates>['data']>['items'][number]

/** Permissions, keys and disk of each cache. */
export const useDatasources = () =>
  useAccountRead([...keys.cache, 'datasources'], api.ext.datasources.get, {
    refetchInterval: factsEveryMs,
  })
export type DatasourceFacts = NonNullable<
  ReturnType<typeof useDatasources>['data']
>['items'][number]

/** Measured sizes of the last days. */
export const useSizeHistory = (days: number) =>
  useRead(
    [...keys.cache, 'history', days],
    (asking) => {
      const end = Math.floor(Date.now() / 1000)
      const query = { start: end - days * daySeconds, end }
      return api.ext.cache.history.get({ query, ...asking })
    },
    {
      placeholderData: keepPreviousData,
      staleTime: historyStaleMs,
      refetchInterval: pollWhileAway(historyStaleMs),
    },
  )

/** Games and services of the last detection, including evicted ones. */
export const useDetection = () =>
  useAccountRead([...keys.cache, 'games'], api.games.detect.cached.get)

/** Titles that no catalogue knows, and names given by hand. */
export const useUnnamed = () =>
  useAccountRead([...keys.cache, 'unnamed'], api.ext.games.unnamed.get)
export type UnnamedTitle = NonNullable<ReturnType<typeof useUnnamed>['data']>[number]

/** Paths of one entry's files. */
export const useGameFiles = (game: string) =>
  useRead(
    [...keys.cache, 'files', game],
    (asking) => api.ext.games.files.get({ query: { game }, ...asking }),
    { retry: false },
  )

/** Evicted downloads that a removal of all would delete. */
export const useEvictedTotal = () =>
  useAccountRead([...keys.cache, 'evicted'], api.ext.cache.evicted.get, {
    select: ({ downloads }) => downloads,
  })

export const useEvictionSettings = () =>
  useAccountRead([...keys.cache, 'eviction'], api.stats.eviction.get)
export type EvictionSettings = NonNullable<ReturnType<typeof useEvictionSettings>['data']>

/** The deletion method for clearing a whole cache. */
export const useDeleteMode = () =>
  useAccountRead([...keys.cache, 'deleteMode'], api.system.config.get, {
    select: ({ cacheDeleteMode }) => cacheDeleteMode,
  })

/**
 * The line's monthly volume, and what the cache has used of it, which grows slowly and without an
 * event; account holders only.
 */
export const useDataCap = () =>
  useAccountRead(keys.dataCap, api.ext['data-cap'].get, {
    refetchInterval: pollWhileAway(5 * 60_000),
  })

/** Often enough for what is measured once an hour. */
const forecastMs = 10 * 60_000

/** Growth of the cache from measured sizes; none while the history is away. */
export const useForecast = () =>
  useRead(keys.forecast, api.ext.cache.forecast.get, {
    staleTime: forecastMs,
    refetchInterval: pollWhileAway(forecastMs),
    retry: false,
  })
