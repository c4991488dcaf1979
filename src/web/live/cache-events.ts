import type { QueryClient } from '@tanstack/react-query'
import { keys } from '../api/keys.ts'

/** Beginnings and ends of jobs that change what lies in the cache or what is known of it. */
const isAboutCache =
  /^(GameDetection|CacheSizeScan|EvictionScan|EvictionRemoval|GameRemoval|ServiceRemoval|CacheClearing|CorruptionRemoval|CacheSnapshot)(Started|Complete)$|^CacheScanComplete$/

/** Reasons of a refresh of the downloads that concern the lists of the cache. */
const reasons: ReadonlySet<unknown> = new Set([
  'title-named',
  'eviction-mode',
  'eviction-scan',
  'eviction-removal',
  'eviction-reset',
])

const reasonOf = (data: unknown): unknown =>
  typeof data === 'object' && data !== null && 'reason' in data ? data.reason : undefined

/** Rights of folders, and what rules are about to remove. */
const isAboutOrder = /^(DirectoryPermissionsChanged|RetentionUpdated)$/

/** Takes note of an event about the cache; false when somebody else must as well. */
export function noteCacheEvent(queries: QueryClient, event: string, data: unknown): boolean {
  const isRefresh = event === 'DownloadsRefresh' && reasons.has(reasonOf(data))
  const isJob = isAboutCache.test(event)
  if (isRefresh || isJob || isAboutOrder.test(event)) {
    void queries.invalidateQueries({ queryKey: keys.cache })
  }
  // What is on the disk stands on the overview too.
  if (isJob && event.endsWith('Complete')) {
    void queries.invalidateQueries({ queryKey: keys.batch })
  }
  return isJob
}
