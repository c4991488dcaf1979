import { HistoryUnavailable, type History } from '../../../db/history/history.ts'
import type { CacheParts } from '../parts.ts'
import { groupFound, type Found } from './group.ts'
import { readEvicted, readEvictedDetails, readTitles } from './store.ts'

export interface Detected {
  games: Found[]
  services: Found[]
}

/** Null while the history is away: its data is left out. */
export async function unlessAway<T>(
  history: Pick<History, 'read'>,
  query: Parameters<typeof history.read<T>>[0],
): Promise<T | null> {
  try {
    return await history.read(query)
  } catch (error) {
    if (error instanceof HistoryUnavailable) return null
    throw error
  }
}

/** Games and services from the index; `hasDetails` adds sums and addresses of evicted ones. */
export async function readDetected(
  {
    cache,
    history,
  }: { cache: Pick<CacheParts['cache'], 'contents'>; history: Pick<History, 'read'> },
  { hasDetails }: { hasDetails: boolean },
): Promise<Detected> {
  const [contents, evicted, evictedDetails] = await Promise.all([
    cache.contents(),
    unlessAway(history, (_db, sql) => readEvicted(sql)),
    hasDetails ? unlessAway(history, (_db, sql) => readEvictedDetails(sql)) : null,
  ])
  const rows = [...contents, ...(evicted ?? []), ...(evictedDetails ?? [])]
  const keys = [...new Set(rows.map(({ titleKey }) => titleKey))].filter((key) => key !== '')
  const titles = await unlessAway(history, (_db, sql) => readTitles(sql, keys))
  return groupFound({
    contents,
    titles: titles ?? [],
    evicted: evicted ?? [],
    evictedDetails: evictedDetails ?? [],
  })
}
