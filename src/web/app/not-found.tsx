import { Link } from '@tanstack/react-router'
import { Notice } from '../components/notice.tsx'
import { t } from '../locales/translate.ts'
import { Page } from './page.tsx'

export function NotFound() {
  return (
    <Page title={t('notFound.title')}>
      <div className="card">
        <Notice title={t('notFound.text')} className="py-16">
          <Link to="/" className="link">
            {t('notFound.back')}
          </Link>
        </Notice>
      </div>
    </Page>
  )
}
