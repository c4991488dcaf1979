import type { Tab } from '../components/tabs.tsx'

/** The pages under `/cache`, in the order of their tabs. */
export const cacheSections: readonly Tab[] = [
  { to: '/cache', label: 'cache.tabOverview' },
  { to: '/cache/games', label: 'cache.tabGames' },
  { to: '/cache/unnamed', label: 'cache.tabUnnamed' },
  { to: '/cache/evicted', label: 'cache.tabEvicted' },
  { to: '/cache/integrity', label: 'integrity.title' },
  { to: '/cache/retention', label: 'retention.title' },
]
