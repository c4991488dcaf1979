import type { ReactNode } from 'react'
import { useAway } from '../../api/cache-queries.ts'
import { useIsAccount } from '../../api/queries.ts'
import { PageFrame } from '../../app/page-frame.tsx'
import { AwayLine } from '../../components/away-line.tsx'
import { Forbidden } from '../../components/card.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { t } from '../../locales/translate.ts'
import { cacheSections } from '../../app/cache-sections.ts'

interface CachePageProps {
  /** Browser tab title: the current section. */
  title?: string
  /** Page-wide actions. */
  tools?: ReactNode
  children: ReactNode
}

const Away = () => <AwayLine away={useAway()} className="mb-3.5" />

/** Header and tabs of every cache page. Guests see that it is for account holders. */
export function CacheFrame({ title, tools, children }: CachePageProps) {
  const isAccount = useIsAccount()
  return (
    <PageFrame title={title ?? t('nav.cache')} tools={isAccount ? tools : null}>
      {isAccount ? (
        <>
          <Tabs label={t('cache.tabs')} tabs={cacheSections} />
          <Away />
          {children}
        </>
      ) : (
        <Forbidden />
      )}
    </PageFrame>
  )
}
