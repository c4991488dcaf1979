import { X } from 'lucide-react'
import { platformFacts } from '../../../../platforms/platforms.ts'
import { Button } from '../../../components/button.tsx'
import { Choice, choices } from '../../../components/choice.tsx'
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
        <Choice
          label={t('prefill.tabPlatforms')}
          value={search.platform ?? ''}
          options={[
            { value: '', label: t('shelf.platformAll') },
            ...shown.map(({ platform, games }) => ({
              value: platform,
              label: `${platformFacts[platform].title} (${games})`,
            })),
          ]}
          onChange={(platform) => onChange({ platform: platform || undefined })}
        />
        <Choice
          label={t('prefill.show')}
          value={search.show ?? ''}
          options={[
            { value: '', label: t('prefill.showAll') },
            ...shownStates.map((value) => ({
              value,
              label: t(value === 'failed' ? 'prefill.gameFailed' : `shelf.state.${value}`),
            })),
          ]}
          onChange={(show) => onChange({ show: show || undefined })}
        />
        <SizeFilter value={search.size} onChange={(size) => onChange({ size })} />
        <Choice
          label={t('shelf.sort')}
          value={search.sort ?? 'name'}
          options={choices({ name: 'shelf.byName', largest: 'shelf.bySize' })}
          onChange={(sort) => onChange({ sort: shelfSearch({ sort }).sort })}
        />
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
