import { useQueryClient } from '@tanstack/react-query'
import { Link, Outlet } from '@tanstack/react-router'
import { Settings } from 'lucide-react'
import { lazy, Suspense, useEffect, useState } from 'react'
import { usePreferences } from '../api/access-queries.ts'
import { useConfig, useIsAccount } from '../api/queries.ts'
import { Toasts } from '../components/toast.tsx'
import { browserZone } from '../format/times.ts'
import { startLive } from '../live/events.ts'
import { useIsStale, useSpeeds } from '../live/store.ts'
import { loadTexts, t, tn } from '../locales/translate.ts'
import { AccountMenu } from './account-menu.tsx'
import { Logo } from './logo.tsx'
import { useDestinations } from './navigation.ts'
import { OperationsButton } from './operations-button.tsx'
import { OverlayContext, type Overlay } from './overlays.ts'
import { usePreferenceSync } from './preference-sync.ts'
import { RunningFrame } from './running-events.tsx'
import { usePreview } from './theme.ts'
import { useShortcuts } from './use-shortcuts.ts'

const Palette = lazy(async () => {
  // It lists entries whose texts belong to other pages.
  const parts = (['cache', 'controls', 'corruption', 'prefill', 'work'] as const).map(loadTexts)
  const [m] = await Promise.all([import('./palette.tsx'), ...parts])
  return { default: m.Palette }
})
const Operations = lazy(async () => {
  const [m] = await Promise.all([import('./operations.tsx'), loadTexts('work')])
  return { default: m.Operations }
})
const PreviewBanner = lazy(async () => ({
  default: (await import('./preview-banner.tsx')).PreviewBanner,
}))
const ZoneNote = lazy(async () => {
  const [m] = await Promise.all([import('./zone-note.tsx'), loadTexts('work')])
  return { default: m.ZoneNote }
})
const Shortcuts = lazy(async () => {
  const [m] = await Promise.all([import('./shortcuts.tsx'), loadTexts('work')])
  return { default: m.Shortcuts }
})

/** Everything around a page: navigation, tab bar, palette, operations. Holds the live connection. */
export function Shell() {
  const queries = useQueryClient()
  const [overlay, setOverlay] = useState<Overlay>(null)
  useEffect(() => startLive(queries), [queries])
  const isStale = useIsStale()
  useEffect(() => {
    document.documentElement.toggleAttribute('data-stale', isStale)
  }, [isStale])
  const preview = usePreview()
  usePreferenceSync()
  useShortcuts(setOverlay)
  const close = () => setOverlay(null)
  return (
    <OverlayContext value={setOverlay}>
      <a
        href="#content"
        className="control fixed top-2 left-2 z-50 -translate-y-20 focus:translate-y-0"
      >
        {t('shell.skip')}
      </a>
      <Suspense>{preview !== null && <PreviewBanner preview={preview} />}</Suspense>
      <RunningFrame />
      <div className="md:grid md:grid-cols-[212px_minmax(0,1fr)]">
        <SideNavigation />
        <Outlet />
      </div>
      <TabBar />
      <Toasts />
      <Suspense>
        {overlay === 'palette' && <Palette onClose={close} />}
        {overlay === 'operations' && <Operations onClose={close} />}
        {overlay === 'shortcuts' && <Shortcuts onClose={close} />}
      </Suspense>
    </OverlayContext>
  )
}

const navigationLink =
  'flex h-9 items-center gap-2.5 rounded-control px-2.5 text-dim hover:text-text aria-[current=page]:bg-raise aria-[current=page]:font-semibold aria-[current=page]:text-text'

function SideNavigation() {
  const shown = useDestinations()
  const isAccount = useIsAccount()
  const active = useSpeeds()?.gameSpeeds.length ?? 0
  const zone = useConfig().data?.timeZone ?? ''
  const isUtc = usePreferences().data?.useUtcTimezone === true
  // Elsewhere all times are the server's.
  const hasZones = zone !== '' && (isUtc || zone !== browserZone())
  return (
    <div className="sticky top-0 hidden h-[calc(100dvh-var(--strip,0px))] flex-col border-r border-line px-3 py-4 md:flex">
      <Link to="/" className="mb-4 flex items-center gap-2.5 px-2.5 py-px text-[16px] font-bold">
        <Logo size={22} />
        Larder
      </Link>
      <nav aria-label={t('shell.navigation')} className="space-y-1">
        {shown.map(({ to, label, icon: Icon }) => (
          <Link
            key={to}
            to={to}
            activeOptions={{ exact: to === '/', includeSearch: false }}
            className={navigationLink}
          >
            <Icon size={16} strokeWidth={1.8} />
            {t(label)}
            {to === '/downloads' && active > 0 && (
              <span className="live-figure ml-auto text-tiny font-normal text-dim">
                {tn('shell.active', active)}
              </span>
            )}
          </Link>
        ))}
        {isAccount && (
          <div className="mt-3 border-t border-line pt-3">
            <OperationsButton />
          </div>
        )}
        <div className="mt-3 border-t border-line pt-3">
          <Link to="/settings" activeOptions={{ includeSearch: false }} className={navigationLink}>
            <Settings size={16} strokeWidth={1.8} />
            {t('nav.settings')}
          </Link>
        </div>
      </nav>
      <div className="mt-auto">
        <Suspense>{hasZones && <ZoneNote />}</Suspense>
        <AccountMenu />
      </div>
    </div>
  )
}

function TabBar() {
  const shown = useDestinations().filter(({ isBehindMore }) => isBehindMore !== true)
  return (
    <nav
      aria-label={t('shell.navigation')}
      className="fixed inset-x-0 bottom-0 z-30 flex border-t border-line bg-bg pb-[env(safe-area-inset-bottom)] md:hidden"
    >
      {shown.map(({ to, label, icon: Icon }) => (
        <Link
          key={to}
          to={to}
          activeOptions={{ exact: to === '/', includeSearch: false }}
          className="flex h-14 flex-1 flex-col items-center justify-center gap-1 text-tiny text-dim aria-[current=page]:font-semibold aria-[current=page]:text-cache"
        >
          <Icon size={18} strokeWidth={1.8} />
          {t(label)}
        </Link>
      ))}
      <div className="flex-1">
        <AccountMenu isTab />
      </div>
    </nav>
  )
}
