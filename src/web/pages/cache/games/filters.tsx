import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import {
  Choice,
  choices,
  SearchField,
  Segments,
  Button,
  optionsOf,
} from '../../../components/form-controls.tsx'
import { SizeFilter } from '../../../components/shelf/size-filter.tsx'
import { serviceName } from '../../../format/services.ts'
import { t } from '../../../locales/translate.ts'
import { cacheGamesSearch, standardCacheSort, type CacheGamesSearch } from '../search.ts'
import type { Entry } from './entries.ts'

const route = getRouteApi('/cache/games')

/** The page's state in its address. */
export function useAddress() {
  const search = route.useSearch()
  const navigate = useNavigate()
  const change = (part: Partial<CacheGamesSearch>) => {
    const next = cacheGamesSearch({ ...search, ...part })
    // Opening a panel adds to the browser's history; a filter does not.
    const replace = !('open' in part)
    void navigate({ to: '/cache/games', search: next, resetScroll: false, replace })
  }
  return { search, change }
}

interface FiltersProps {
  entries: readonly Entry[]
  children: ReactNode
}

const unique = (values: readonly string[]) =>
  [...new Set(values)].sort((a, b) => a.localeCompare(b))

const filters = ['search', 'service', 'source', 'show', 'size'] as const
const noFilters = Object.fromEntries(filters.map((name) => [name, undefined]))

/** Filters as plain controls, with their state always visible. */
export function Filters({ entries, children }: FiltersProps) {
  const { search, change } = useAddress()
  const services = unique(entries.map(({ service }) => service))
  const sources = unique(entries.flatMap(({ datasources }) => datasources))
  const hasFilter = filters.some((name) => search[name] !== undefined)
  return (
    <div role="search" aria-label={t('filter.label')} className="mb-3 flex flex-wrap gap-2">
      <SearchField
        label={t('cache.search')}
        hint={t('cache.searchHint')}
        value={search.search ?? ''}
        onChange={(text) => change({ search: text })}
        className="min-w-[180px] md:max-w-[300px]"
      />
      <div className="flex min-w-0 gap-2 max-md:w-full max-md:overflow-x-auto max-md:pb-1 md:flex-wrap">
        <Segments<string>
          label={t('cache.show')}
          value={search.show ?? 'all'}
          options={choices({
            all: 'cache.showAll',
            games: 'cache.showGames',
            services: 'cache.showServices',
            evicted: 'cache.showEvicted',
          })}
          onChange={(show) => change({ show: cacheGamesSearch({ show }).show })}
        />
        <Choice
          label={t('filter.service')}
          value={search.service}
          options={[
            { value: undefined, label: t('filter.serviceAll') },
            ...optionsOf(services, serviceName),
          ]}
          onChange={(service) => change({ service })}
        />
        {sources.length > 1 && (
          <Choice
            label={t('cache.source')}
            value={search.source}
            options={[
              { value: undefined, label: t('cache.sourceAll') },
              ...optionsOf(sources, String),
            ]}
            onChange={(source) => change({ source })}
          />
        )}
        <SizeFilter value={search.size} onChange={(size) => change({ size })} />
        {/* The list has its columns for that. */}
        {search.view !== 'list' && (
          <Choice<string>
            label={t('cache.sort')}
            value={search.sort ?? standardCacheSort}
            options={choices({
              largest: 'cache.byBytes',
              name: 'cache.byName',
              oldest: 'cache.byOldest',
              evicted: 'cache.byEvicted',
            })}
            onChange={(sort) => change({ sort: cacheGamesSearch({ sort }).sort })}
          />
        )}
        <Segments<'covers' | 'list'>
          label={t('cache.view')}
          value={search.view ?? 'covers'}
          options={choices({ covers: 'cache.viewCovers', list: 'cache.viewList' })}
          onChange={(view) => change({ view: view === 'list' ? view : undefined })}
        />
        {hasFilter && (
          <Button className="text-dim" onClick={() => change(noFilters)}>
            <X size={14} />
            {t('cache.clearFilters')}
          </Button>
        )}
        {children}
      </div>
    </div>
  )
}
