import { Link, useLocation } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { PageFrame } from '../../app/page-frame.tsx'
import { NoticeCard } from '../../components/card.tsx'
import { t } from '../../locales/translate.ts'
import { Settled } from '../../components/settled.tsx'
import { grouped, sections, useSections } from '../../app/settings-sections.ts'

const forbidden = ['trouble.forbidden', 'trouble.forbiddenText'] as const

/** Who may read a page, for those who may not: title and text. */
const refusals = {
  everyone: forbidden,
  prefill: forbidden,
  account: forbidden,
  admin: ['settings.adminOnly', 'settings.adminOnlyText'],
  owner: ['audit.ownerOnly', 'audit.ownerOnlyText'],
} as const

interface SettingsPageProps {
  title: string
  /** Page-wide actions. */
  tools?: ReactNode
  children: ReactNode
}

/** Header, back link and settings navigation around a settings page. */
export function SettingsPage({ title, tools, children }: SettingsPageProps) {
  const shown = useSections()
  const path = useLocation({ select: ({ pathname }) => pathname })
  const section = sections.find(({ to }) => to === path)
  const [refusal, reason] = refusals[section?.reader ?? 'everyone']
  const isAllowed = section === undefined || shown.includes(section)
  return (
    <PageFrame
      title={title}
      back={{ to: '/settings', label: t('nav.settings') }}
      tools={isAllowed ? tools : null}
    >
      <div className="lg:grid lg:grid-cols-[196px_minmax(0,1fr)] lg:gap-6">
        <nav aria-label={t('nav.settings')} className="hidden space-y-4 lg:block">
          {grouped(shown).map(({ label: group, entries }) => (
            <div key={group} role="group" aria-label={t(group)} className="space-y-0.5">
              <p className="px-2.5 pb-1 text-tiny text-dim">{t(group)}</p>
              {entries.map(({ to, label, icon: Icon }) => (
                <Link
                  key={to}
                  to={to}
                  activeOptions={{ includeSearch: false }}
                  className="flex h-8 items-center gap-2.5 rounded-control px-2.5 text-[13px] text-dim hover:text-text aria-[current=page]:bg-raise aria-[current=page]:font-medium aria-[current=page]:text-text"
                >
                  <Icon size={15} strokeWidth={1.8} />
                  {t(label)}
                </Link>
              ))}
            </div>
          ))}
        </nav>
        <div className="min-w-0">
          {isAllowed ? (
            <Settled page={path}>{children}</Settled>
          ) : (
            <NoticeCard title={t(refusal)}>{t(reason)}</NoticeCard>
          )}
        </div>
      </div>
    </PageFrame>
  )
}
