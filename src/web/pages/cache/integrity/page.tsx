import { choices, Segments } from '../../../components/form-controls.tsx'
import { t } from '../../../locales/translate.ts'
import { CacheFrame } from '../cache-page.tsx'
import { FilesCheck } from '../corruption/files-check.tsx'
import { ObjectCheck } from '../doctor/object-check.tsx'
import { useIntegrity } from './use-integrity.ts'

/** Whether the cache serves what it should: all files, or the objects of one download. */
export function Page() {
  const { search, go } = useIntegrity()
  const view = search.view ?? 'files'
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
      {view === 'files' ? <FilesCheck /> : <ObjectCheck />}
    </CacheFrame>
  )
}
