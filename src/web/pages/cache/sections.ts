import type { Key } from '../../locales/translate.ts'

export interface CacheSection {
  to:
    | '/cache'
    | '/cache/games'
    | '/cache/unnamed'
    | '/cache/evicted'
    | '/cache/integrity'
    | '/cache/retention'
  label: Key
}

/** The pages under `/cache`, in the order of their tabs. */
export const cacheSections: readonly CacheSection[] = [
  { to: '/cache', label: 'cache.tabOverview' },
  { to: '/cache/games', label: 'cache.tabGames' },
  { to: '/cache/unnamed', label: 'cache.tabUnnamed' },
  { to: '/cache/evicted', label: 'cache.tabEvicted' },
  { to: '/cache/integrity', label: 'integrity.title' },
  { to: '/cache/retention', label: 'retention.title' },
]
