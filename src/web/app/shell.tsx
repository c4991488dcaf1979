import { useQueryClient } from '@tanstack/react-query'
import { Link, Outlet, useRouter } from '@tanstack/react-router'
import { Settings, ListChecks, CircleUser } from 'lucide-react'
import { Suspense, useEffect, useLayoutEffect, useState } from 'react'
import { usePreferences } from '../api/access-queries.ts'
import { useConfig, useIsAccount, useOperations, useStatus } from '../api/queries.ts'
import { Toasts } from '../components/toast.tsx'
import { browserZone } from '../format/times.ts'
import { startLive } from '../live/events.ts'
import { useIsStale, useSpeeds } from '../live/store.ts'
import { t, tn } from '../locales/translate.ts'
import { Logo } from './logo.tsx'
import { useDestinations } from './navigation.ts'
import { OverlayContext, type Overlay, useOverlay } from './overlays.ts'
import { usePreferenceSync } from './preference-sync.ts'
import { usePreview } from './theme.ts'
import { useActiveEvents } from '../api/event-queries.ts'
import { countText } from '../format/numbers.ts'
import { Popover } from '../components/popover.tsx'
import { lazyPart } from './lazy-part.ts'

/** It lists entries whose texts belong to other pages. */
const paletteTexts = ['cache', 'controls', 'corruption', 'prefill', 'work'] as const
const Palette = lazyPart(async () => (await import('./palette.tsx')).Palette, ...paletteTexts)
const Operations = lazyPart(async () => (await import('./operations.tsx')).Operations, 'work')
const PreviewBanner = lazyPart(async () => (await import('./preview-banner.tsx')).PreviewBanner)
const ZoneNote = lazyPart(async () => (await import('./zone-note.tsx')).ZoneNote, 'work')
const Shortcuts = lazyPart(async () => (await import('./shortcuts.tsx')).Shortcuts, 'work')

/** Everything around a page: navigation, tab bar, palette, operations. Holds the live connection. */
export function Shell() {
  const queries = useQueryClient()
  const [overlay, setOverlay] = useState<Overlay>(null)
  // Before the effects that read: what was read earlier is read again when the socket is open.
  useLayoutEffect(() => startLive(queries), [queries])
  const router = useRouter()
  useEffect(
    () =>
      router.subscribe('onBeforeNavigate', ({ pathChanged }) => {
        // Menus of the shell would stay open over the next page.
        const menu = document.querySelector<HTMLElement>('[popover]:popover-open')
        if (pathChanged) menu?.hidePopover()
      }),
    [router],
  )
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

const Frame = lazyPart(
  async () => (await import('../pages/events/running.tsx')).RunningEvents,
  'events',
)

/** Loads the banner only while an event is running; its place is kept from visit to visit. */
function RunningFrame() {
  const { data } = useActiveEvents()
  const [wasRunning] = useState(
    () => Date.parse(localStorage.getItem('larder.running') ?? '') > Date.now(),
  )
  const place = <div data-running className="h-(--strip)" />
  if (data === undefined) return wasRunning && place
  return (
    data.length > 0 && (
      <Suspense fallback={place}>
        <Frame events={data} />
      </Suspense>
    )
  )
}

/** Opens the drawer; shows how many jobs are running or queued. */
function OperationsButton() {
  const open = useOverlay()
  const { data } = useOperations()
  const busy = [...(data?.running ?? []), ...(data?.waiting ?? [])]
  const running = busy.filter(({ isSilent }) => !isSilent)
  return (
    <button
      type="button"
      onClick={() => open('operations')}
      className="flex h-9 w-full items-center gap-2.5 rounded-control px-2.5 text-dim hover:text-text"
    >
      <ListChecks size={16} strokeWidth={1.8} />
      {t('nav.operations')}
      {running.length > 0 && (
        <span className="ml-auto rounded-full bg-raise px-2 text-tiny text-text">
          {countText(running.length)}
        </span>
      )}
    </button>
  )
}

type Change = (next: (open: Overlay) => Overlay) => void

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]')

const openDialog = '[role=dialog]:not([popover]), [popover]:popover-open'

/** The page's own search field, outside dialogs. */
const searchField = () =>
  [...document.querySelectorAll<HTMLInputElement>('main input[type=search]')].find(
    (field) => field.offsetParent !== null,
  )

/** The overlay or field for a key; null for keys that mean nothing here. */
function actionOf(event: KeyboardEvent, change: Change): (() => void) | null {
  const { key, ctrlKey, metaKey, altKey, target } = event
  if (key.toLowerCase() === 'k' && (ctrlKey || metaKey)) {
    return () => change((open) => (open === 'palette' ? null : 'palette'))
  }
  if (ctrlKey || metaKey || altKey || isTyping(target)) return null
  if (key === '?') return () => change((open) => open ?? 'shortcuts')
  if (key !== '/' || document.querySelector(openDialog) !== null) return null
  const field = searchField()
  return field === undefined ? () => change(() => 'palette') : () => field.focus()
}

/** Ctrl+K opens the palette, `/` the search, `?` the list of keys. */
function useShortcuts(change: Change): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const action = actionOf(event, change)
      if (action === null) return
      event.preventDefault()
      action()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [change])
}

const AccountPanel = lazyPart(
  async () => (await import('./account-panel.tsx')).AccountPanel,
  'work',
)

/** Account, theme, language and sign-out. On phones it is the last tab. */
function AccountMenu({ isTab = false }: { isTab?: boolean }) {
  const { data } = useStatus()
  const [wasOpened, setWasOpened] = useState(false)
  const isGuest = data?.sessionType === 'guest'
  const name = t(
    isGuest ? 'account.guest' : data?.isMainAdmin ? 'account.owner' : 'account.account',
  )
  const face = (
    <>
      <CircleUser size={isTab ? 18 : 16} strokeWidth={1.8} />
      {isTab ? t('nav.more') : name}
    </>
  )
  const buttonClass = isTab
    ? 'flex h-14 w-full flex-col items-center justify-center gap-1 text-tiny text-dim'
    : 'flex h-9 w-full items-center gap-2.5 rounded-control px-2.5 text-dim hover:text-text'
  return (
    <Popover
      label={t('account.menu')}
      face={face}
      buttonClass={buttonClass}
      className="w-[250px] p-2"
      align={isTab ? 'end' : 'start'}
      onOpen={() => setWasOpened(true)}
    >
      {(close) =>
        wasOpened && (
          <Suspense fallback={<div className="h-40" />}>
            <AccountPanel close={close} isTab={isTab} />
          </Suspense>
        )
      }
    </Popover>
  )
}
