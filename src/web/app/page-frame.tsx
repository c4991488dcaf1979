import { Link, type LinkProps } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { Search } from 'lucide-react'
import { useEffect, type ReactNode, Suspense } from 'react'
import { useIsAccount, useStatus } from '../api/queries.ts'
import { Button } from '../components/form-controls.tsx'
import { t, type Key } from '../locales/translate.ts'
import { useOverlay } from './overlays.ts'
import { Dot, type Tone } from '../components/figures.tsx'
import type { Connection } from '../live/hub.ts'
import { durationText } from '../format/times.ts'
import { useConnection, useSilentSeconds } from '../live/store.ts'
import { lazyPart } from './lazy-part.ts'

interface PageFrameProps {
  title: string
  /** Back link above the title. */
  back?: LinkProps & { label: string }
  /** Controls for the whole page, such as the range. */
  tools?: ReactNode
  /** Uses the width of large screens. */
  isWide?: boolean
  children: ReactNode
}

const isApple = /mac|iphone|ipad/i.test(navigator.userAgent)

/** Head and body of every page inside the shell. */
export function PageFrame({ title, back, tools, isWide, children }: PageFrameProps) {
  const open = useOverlay()
  const { label, ...link } = back ?? {}
  // The tools and a guest's remaining time, which comes later, do not fit beside the title on tablets;
  // those of a page with a back link do not on phones.
  const alone = useIsAccount() ? back !== undefined && 'max-sm:basis-full' : 'max-lg:basis-full'
  const width = clsx('mx-auto max-w-[1240px]', isWide === true && '3xl:max-w-[1720px]')
  useEffect(() => {
    document.title = `${title} · Larder`
  }, [title])
  return (
    <main id="content" tabIndex={-1} className="min-w-0 px-3.5 pb-24 outline-none md:px-6 md:pb-8">
      <header
        className={clsx(width, 'flex flex-wrap items-center gap-1.5 py-4 sm:gap-2 md:gap-2.5')}
      >
        <div className={clsx('mr-auto min-w-0', alone)}>
          {back !== undefined && (
            <Link {...link} className="text-small text-dim hover:text-text">
              ‹ {label}
            </Link>
          )}
          <h1 className="line-clamp-2 text-title font-semibold wrap-anywhere">{title}</h1>
        </div>
        <Button onClick={() => open('palette')} className="px-2.5 text-dim lg:w-[218px] lg:px-3">
          <Search size={15} className="lg:hidden" />
          <span className="max-lg:sr-only">{t('palette.prompt')}</span>
          <kbd
            aria-hidden="true"
            className="ml-auto hidden rounded border border-line px-1.5 font-sans text-tiny lg:inline"
          >
            {isApple ? '⌘ K' : 'Ctrl K'}
          </kbd>
        </Button>
        {tools}
        <GuestBadge />
        <LiveBadge />
      </header>
      <div className={width}>{children}</div>
    </main>
  )
}

const GuestTime = lazyPart(async () => (await import('./guest-time.tsx')).GuestTime)

/** Remaining time of a guest session. */
function GuestBadge() {
  const { data } = useStatus()
  const expiresAt = data?.sessionType === 'guest' ? data.expiresAt : null
  return <Suspense>{expiresAt !== null && <GuestTime expiresAt={expiresAt} />}</Suspense>
}

const faces: Record<Connection, { tone: Tone; label: Key; hint: Key }> = {
  connecting: { tone: 'quiet', label: 'live.connecting', hint: 'live.connectingHint' },
  live: { tone: 'good', label: 'live.live', hint: 'live.liveHint' },
  reconnecting: { tone: 'quiet', label: 'live.reconnecting', hint: 'live.reconnectingHint' },
  offline: { tone: 'bad', label: 'live.offline', hint: 'live.offlineHint' },
}

/** State of the live connection. */
function LiveBadge() {
  const connection = useConnection()
  const silent = useSilentSeconds()
  const isUnreachable = useStatus().isError
  if (connection === 'live' && silent > 0) {
    return (
      <p role="status" title={t('live.staleHint')} className="control px-2.5 sm:px-3">
        <Dot tone="quiet" />
        <span className="sr-only">{t('live.staleHint')}</span>
        <span aria-hidden="true">{t('live.stale', { time: durationText(silent) })}</span>
      </p>
    )
  }
  // While requests are answered, only the socket does not get through.
  const shown = connection === 'offline' && !isUnreachable ? 'reconnecting' : connection
  const { tone, label, hint } = faces[shown]
  return (
    <p role="status" title={t(hint)} className="control px-2.5 text-dim hover:bg-panel sm:px-3">
      <Dot tone={tone} pulsing={shown === 'reconnecting' || shown === 'connecting'} />
      {/* The usual states take the same space, so that a loading page does not move. */}
      <span
        className={connection === 'live' || connection === 'connecting' ? 'max-sm:sr-only' : ''}
      >
        {t(label)}
      </span>
    </p>
  )
}
