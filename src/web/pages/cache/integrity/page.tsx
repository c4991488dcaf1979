import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { choices, Segments } from '../../../components/form-controls.tsx'
import { t } from '../../../locales/translate.ts'
import { CacheFrame } from '../cache-page.tsx'
import { FilesCheck } from '../corruption/files-check.tsx'
import { ObjectCheck } from '../doctor/object-check.tsx'
import type { IntegritySearch } from './search.ts'

const route = getRouteApi('/cache/integrity')

/** Whether the cache serves what it should: all files, or the objects of one download. */
export function Page() {
  const search = route.useSearch()
  const navigate = useNavigate()
  const view = search.view ?? 'files'
  const go = (next: IntegritySearch, resetScroll = true) =>
    void navigate({ to: '/cache/integrity', search: next, resetScroll })
  return (
    <CacheFrame title={t('integrity.title')}>
      <div className="mb-3">
        <Segments
          label={t('integrity.view')}
          value={view}
          options={choices({ files: 'integrity.files', object: 'integrity.object' })}
          onChange={(next) => go(next === 'object' ? { view: next } : {})}
        />
      </div>
      {view === 'files' ? (
        <FilesCheck search={search} onChange={(part) => go({ ...search, ...part }, false)} />
      ) : (
        <ObjectCheck search={search} onChange={(part) => go({ ...search, ...part })} />
      )}
    </CacheFrame>
  )
}
