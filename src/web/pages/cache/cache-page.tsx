import { Link } from '@tanstack/react-router'
import { useEffect, useRef, type ReactNode } from 'react'
import { useIsAccount } from '../../api/queries.ts'
import { PageFrame } from '../../app/page-frame.tsx'
import { Forbidden } from '../../components/notice.tsx'
import { t } from '../../locales/translate.ts'
import { cacheSections } from './sections.ts'

interface CachePageProps {
  /** Browser tab title: the current section. */
  title?: string
  /** Page-wide actions. */
  tools?: ReactNode
  children: ReactNode
}

/** Header and tabs of every cache page. Guests see that it is for account holders. */
export function CacheFrame({ title, tools, children }: CachePageProps) {
  const isAccount = useIsAccount()
  const tabs = useRef<HTMLElement>(null)
  // On phones not all tabs fit.
  useEffect(() => {
    const current = tabs.current?.querySelector('[aria-current=page]')
    current?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [])
  return (
    <PageFrame title={title ?? t('nav.cache')} tools={isAccount ? tools : null}>
      {isAccount ? (
        <>
          <nav
            ref={tabs}
            aria-label={t('cache.tabs')}
            className="-mx-3.5 mb-3.5 flex gap-1 overflow-x-auto border-b border-line px-3.5 md:mx-0 md:px-0"
          >
            {cacheSections.map(({ to, label }) => (
              <Link
                key={to}
                to={to}
                activeOptions={{ exact: true, includeSearch: false }}
                className="-mb-px flex h-9 items-center border-b-2 border-transparent px-2.5 whitespace-nowrap text-dim hover:text-text focus-visible:-outline-offset-2 aria-[current=page]:border-cache aria-[current=page]:font-medium aria-[current=page]:text-text"
              >
                {t(label)}
              </Link>
            ))}
          </nav>
          {children}
        </>
      ) : (
        <Forbidden />
      )}
    </PageFrame>
  )
}
