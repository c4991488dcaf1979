import { Link } from '@tanstack/react-router'
import { useEffect, useRef, type ReactNode } from 'react'
import { useIsAccount } from '../../api/queries.ts'
import { Page } from '../../app/page.tsx'
import { Notice } from '../../components/notice.tsx'
import { t } from '../../locales/translate.ts'
import { cacheSections } from './sections.ts'

interface CachePageProps {
  /** Of the browser's tab: the part of the section that is looked at. */
  title?: string
  /** Page-wide actions. */
  tools?: ReactNode
  children: ReactNode
}

/** Head and tabs of every page about what lies on the disk. Guests are told that it is not theirs. */
export function CacheFrame({ title, tools, children }: CachePageProps) {
  const isAccount = useIsAccount()
  const tabs = useRef<HTMLElement>(null)
  // On phones not all of them are in sight.
  useEffect(() => {
    const current = tabs.current?.querySelector('[aria-current=page]')
    current?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [])
  return (
    <Page title={title ?? t('nav.cache')} tools={isAccount ? tools : null}>
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
        <div className="card">
          <Notice tone="attention" title={t('trouble.forbidden')} className="py-16">
            {t('trouble.forbiddenText')}
          </Notice>
        </div>
      )}
    </Page>
  )
}
