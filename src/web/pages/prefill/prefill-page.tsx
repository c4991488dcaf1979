import type { ReactNode } from 'react'
import { useIsAccount } from '../../api/queries.ts'
import { PageFrame } from '../../app/page-frame.tsx'
import { Tabs, type Tab } from '../../components/tabs.tsx'
import { t } from '../../locales/translate.ts'

const tabs: readonly Tab[] = [
  { to: '/prefill', label: 'prefill.tabGames' },
  { to: '/prefill/ready', label: 'prefill.tabReady' },
  { to: '/prefill/schedules', label: 'prefill.tabSchedules' },
  { to: '/prefill/sessions', label: 'prefill.tabSessions' },
  { to: '/prefill/platforms', label: 'prefill.tabPlatforms' },
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
      {isAccount && title === undefined && <Tabs label={t('prefill.tabs')} tabs={tabs} />}
      {children}
    </PageFrame>
  )
}

export { tabs as prefillTabs }
