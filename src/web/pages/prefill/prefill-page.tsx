import { Link, type LinkProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useIsAccount } from '../../api/queries.ts'
import { PageFrame } from '../../app/page-frame.tsx'
import { t, type Key } from '../../locales/translate.ts'

const tabs: readonly { to: NonNullable<LinkProps['to']>; label: Key }[] = [
  { to: '/prefill', label: 'prefill.tabPlatforms' },
  { to: '/prefill/schedules', label: 'prefill.tabSchedules' },
  { to: '/prefill/sessions', label: 'prefill.tabSessions' },
]

interface PrefillFrameProps {
  /** Of the page of one platform, which has a way back instead of the tabs. */
  title?: string
  children: ReactNode
}

/** Header and tabs of the prefill pages; guests have the platforms only. */
export function PrefillFrame({ title, children }: PrefillFrameProps) {
  const isAccount = useIsAccount()
  return (
    <PageFrame
      title={title ?? t('nav.prefill')}
      {...(title !== undefined && { back: { to: '/prefill', label: t('nav.prefill') } })}
    >
      {isAccount && title === undefined && (
        <nav
          aria-label={t('prefill.tabs')}
          className="-mx-3.5 mb-3.5 flex gap-1 overflow-x-auto border-b border-line px-3.5 md:mx-0 md:px-0"
        >
          {tabs.map(({ to, label }) => (
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
      )}
      {children}
    </PageFrame>
  )
}
