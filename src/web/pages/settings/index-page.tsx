import { Link } from '@tanstack/react-router'
import { ChevronRight } from 'lucide-react'
import {
  useAccounts,
  useGuestConfig,
  usePreferences,
  useSessions,
  useThemes,
} from '../../api/access-queries.ts'
import { useStatus } from '../../api/queries.ts'
import { isBuiltIn } from '../../app/appearance.ts'
import { PageFrame } from '../../app/page-frame.tsx'
import { timeFormatOf } from '../../app/preferences.ts'
import { grouped, useSections, type SectionName } from '../../app/settings-sections.ts'
import { useChosenTheme } from '../../app/theme.ts'
import { t, tn } from '../../locales/translate.ts'

/** Current state as one line per page; empty until loaded. */
function useStates() {
  const status = useStatus().data
  const theme = useChosenTheme()
  const preferences = usePreferences().data
  const themes = useThemes().data ?? []
  const accounts = useAccounts().data
  const sessions = useSessions().data
  const guests = useGuestConfig().data
  const own = accounts?.find(({ id }) => id === status?.accountId)
  const themeName =
    theme === 'system' || isBuiltIn(theme)
      ? t(`theme.${theme}`)
      : (themes.find(({ id }) => id === theme)?.name ?? theme)
  const disabled = accounts?.filter(({ isDisabled }) => isDisabled).length ?? 0
  const join = (...parts: (string | false)[]) => parts.filter(Boolean).join(' · ')
  return {
    preferences:
      preferences && t('prefs.clockIs', { clock: t(`clock.${timeFormatOf(preferences)}`) }),
    themes: join(themeName, themes.length > 0 && tn('themes.count', themes.length)),
    password: own?.username,
    accounts:
      accounts &&
      join(
        tn('accounts.count', accounts.length),
        disabled > 0 && tn('accounts.countDisabled', disabled),
      ),
    sessions:
      sessions &&
      join(
        tn('sessions.count', sessions.count),
        sessions.guestCount > 0 && tn('sessions.countGuests', sessions.guestCount),
      ),
    guests:
      guests && (guests.isLocked ? t('guests.locked') : tn('guests.openFor', guests.durationHours)),
  }
}

/** All settings with their current state; each links to the page that changes it. */
export function Page() {
  const shown = useSections()
  const states = useStates()
  const isOwn = (name: SectionName): name is keyof typeof states => name in states
  return (
    <PageFrame title={t('nav.settings')}>
      <div className="space-y-3 lg:columns-2 lg:gap-3">
        {grouped(shown).map(({ label: group, entries }) => (
          <section key={group} aria-label={t(group)} className="card break-inside-avoid p-2">
            <h2 className="px-3 pt-2 pb-1 text-card font-semibold">{t(group)}</h2>
            <ul>
              {entries.map(({ name, to, label, icon: Icon }) => (
                <li key={to}>
                  <Link
                    to={to}
                    className="flex items-center gap-3.5 rounded-control px-3 py-2.5 hover:bg-raise"
                  >
                    <Icon size={17} strokeWidth={1.7} className="text-dim" />
                    <span className="min-w-0 flex-1">
                      <span className="block">{t(label)}</span>
                      {/* Its place is free before it is known: nothing below moves. */}
                      <span className="block min-h-5 text-small text-dim">
                        {isOwn(name) ? states[name] : t(`settings.state.${name}`)}
                      </span>
                    </span>
                    <ChevronRight size={15} className="text-dim" />
                  </Link>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </PageFrame>
  )
}
