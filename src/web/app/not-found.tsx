import { Link } from '@tanstack/react-router'
import { NoticeCard } from '../components/card.tsx'
import { t } from '../locales/translate.ts'
import { PageFrame } from './page-frame.tsx'

export const NotFound = () => (
  <PageFrame title={t('notFound.title')}>
    <NoticeCard title={t('notFound.text')}>
      <Link to="/" className="link">
        {t('notFound.back')}
      </Link>
    </NoticeCard>
  </PageFrame>
)
