import type { ErrorComponentProps } from '@tanstack/react-router'
import { useEffect } from 'react'
import { Notice } from '../components/card.tsx'
import { Button } from '../components/form-controls.tsx'
import { t } from '../locales/translate.ts'

/** Whether the service has another version of the dashboard than this tab; false when it is away. */
async function isOutdated(): Promise<boolean> {
  const script = document.querySelector('script[type="module"]')?.getAttribute('src') ?? ''
  try {
    const current = await fetch('/')
    return current.ok && !(await current.text()).includes(script)
  } catch {
    return false
  }
}

/**
 * Shown when a page throws. A tab that was opened before an update asks for files that the service
 * no longer has; it is reloaded.
 */
export function Broken({ error }: ErrorComponentProps) {
  useEffect(() => {
    void isOutdated().then((isSo) => isSo && location.reload())
  }, [])
  return (
    <div className="card m-4">
      <Notice tone="bad" title={t('broken.title')} className="py-16">
        <p className="mb-3">{error instanceof Error ? error.message : String(error)}</p>
        <Button onClick={() => location.reload()}>{t('broken.reload')}</Button>
      </Notice>
    </div>
  )
}
