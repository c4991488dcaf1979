import { expect, test } from 'bun:test'
import { QueryClient } from '@tanstack/react-query'
import { keys } from '../api/keys.ts'
import { noteCacheEvent } from './cache-events.ts'

/** Queries that an event makes old, and whether others have to hear of it. */
function after(event: string, data: unknown = null) {
  const queries = new QueryClient()
  queries.setQueryData([...keys.cache, 'games'], 1)
  queries.setQueryData(keys.batch, 1)
  queries.setQueryData(keys.clients, 1)
  const isDone = noteCacheEvent(queries, event, data)
  const old = queries
    .getQueryCache()
    .getAll()
    .filter(({ state }) => state.isInvalidated)
  return { isDone, old: old.map(({ queryKey }) => queryKey[0]) }
}

test('what a job found is read again when it ends', () => {
  expect(after('GameDetectionComplete')).toEqual({ isDone: true, old: ['cache', 'batch'] })
  expect(after('ServiceRemovalComplete').old).toEqual(['cache', 'batch'])
  expect(after('CacheSizeScanStarted')).toEqual({ isDone: true, old: ['cache'] })
})

test('progress comes with the operation', () => {
  expect(after('GameRemovalProgress')).toEqual({ isDone: false, old: [] })
  expect(after('LogProcessingComplete').old).toEqual([])
})

test('news about names and evictions concern the reports as well', () => {
  expect(after('DownloadsRefresh', { reason: 'title-named' })).toEqual({
    isDone: false,
    old: ['cache'],
  })
  expect(after('DownloadsRefresh', { reason: 'stored' }).old).toEqual([])
  expect(after('DownloadsRefresh').old).toEqual([])
})

test('rights that changed are looked at, by others too', () => {
  expect(after('DirectoryPermissionsChanged')).toEqual({ isDone: false, old: ['cache'] })
})
