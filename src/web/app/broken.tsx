import type { ErrorComponentProps } from '@tanstack/react-router'
import { Notice } from '../components/notice.tsx'
import { Button } from '../components/button.tsx'
import { t } from '../locales/translate.ts'

/** Shown when a page throws: usually a chunk of an older version that the server no longer has. */
export function Broken({ error }: ErrorComponentProps) {
  return (
    <div className="card m-4">
      <Notice tone="bad" title={t('broken.title')} className="py-16">
        <p className="mb-3">{error instanceof Error ? error.message : String(error)}</p>
        <Button onClick={() => location.reload()}>{t('broken.reload')}</Button>
      </Notice>
    </div>
  )
}
