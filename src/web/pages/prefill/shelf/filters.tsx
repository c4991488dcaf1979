import { X } from 'lucide-react'
import { isPlatform, platformFacts } from '../../../../platforms/platforms.ts'
import { Button } from '../../../components/button.tsx'
import { SearchField } from '../../../components/search-field.tsx'
import { SizeFilter } from '../../../components/shelf/size-filter.tsx'
import { t } from '../../../locales/translate.ts'
import { shelfSearch, shownStates, type ShelfSearch } from './search.ts'
import type { Shelf } from './queries.ts'

interface FiltersProps {
  search: ShelfSearch
  platforms: Shelf['platforms']
  onChange: (part: Partial<ShelfSearch>) => void
}

/** Search and filters, whose state is in the URL. */
export function Filters({ search, platforms, onChange }: FiltersProps) {
  const shown = platforms.filter(({ games }) => games > 0)
  const hasFilter = Object.keys(search).some((name) => name !== 'sort')
  return (
    <div role="search" aria-label={t('shelf.filters')} className="mb-3 flex flex-wrap gap-2">
      <SearchField
        label={t('prefill.search')}
        value={search.search ?? ''}
        onChange={(text) => onChange({ search: text })}
        className="min-w-[180px] md:max-w-[300px]"
      />
      <div className="flex min-w-0 gap-2 max-md:w-full max-md:overflow-x-auto max-md:pb-1 md:flex-wrap">
        <select
          className="control"
          aria-label={t('prefill.tabPlatforms')}
          value={search.platform ?? ''}
          onChange={({ target: { value } }) =>
            onChange({ platform: isPlatform(value) ? value : undefined })
          }
        >
          <option value="">{t('shelf.platformAll')}</option>
          {shown.map(({ platform, games }) => (
            <option key={platform} value={platform}>
              {`${platformFacts[platform].title} (${games})`}
            </option>
          ))}
        </select>
        <select
          className="control"
          aria-label={t('prefill.show')}
          value={search.show ?? ''}
          onChange={({ target }) => onChange({ show: shelfSearch({ show: target.value }).show })}
        >
          <option value="">{t('prefill.showAll')}</option>
          {shownStates.map((state) => (
            <option key={state} value={state}>
              {t(state === 'failed' ? 'prefill.gameFailed' : `shelf.state.${state}`)}
            </option>
          ))}
        </select>
        <SizeFilter value={search.size} onChange={(size) => onChange({ size })} />
        <select
          className="control"
          aria-label={t('shelf.sort')}
          value={search.sort ?? 'name'}
          onChange={({ target }) => onChange({ sort: shelfSearch({ sort: target.value }).sort })}
        >
          <option value="name">{t('shelf.byName')}</option>
          <option value="largest">{t('shelf.bySize')}</option>
        </select>
        {hasFilter && (
          <Button
            className="text-dim"
            onClick={() =>
              onChange({ search: undefined, platform: undefined, show: undefined, size: undefined })
            }
          >
            <X size={14} />
            {t('shelf.clearFilters')}
          </Button>
        )}
      </div>
    </div>
  )
}
