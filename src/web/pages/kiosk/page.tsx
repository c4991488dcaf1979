import { clsx } from 'clsx'
import { useEffect, useState } from 'react'
import type { OwnShareLink } from '../../../access/links/model.ts'
import { hasEnded, useKiosk, type KioskView } from '../../api/party-queries.ts'
import { useNow } from '../../app/clock.ts'
import { Figure } from '../../components/figures.tsx'
import { PartyEnded } from '../../components/party-ended.tsx'
import { Qr } from '../../components/qr.tsx'
import { byteAmount, rateAmount } from '../../format/numbers.ts'
import { titleOf } from '../../format/services.ts'
import { clockText } from '../../format/times.ts'
import { t } from '../../locales/translate.ts'
import { scenesOf, type Scene } from './scenes.tsx'

const sceneMs = 12_000
/** Longer without an answer, and the screen says so. */
const silentMs = 4000

/** Shows the scenes one after the other; a click or an arrow key goes on at once. */
function useScene(scenes: readonly Scene[]): Scene | undefined {
  const [step, setStep] = useState(0)
  useEffect(() => {
    const next = () => setStep(step + 1)
    const timer = setTimeout(next, sceneMs)
    const onKey = ({ key }: KeyboardEvent) => {
      if (key === 'ArrowRight') next()
      if (key === 'ArrowLeft') setStep(Math.max(0, step - 1))
    }
    addEventListener('click', next)
    addEventListener('keydown', onKey)
    return () => {
      clearTimeout(timer)
      removeEventListener('click', next)
      removeEventListener('keydown', onKey)
    }
  }, [step])
  return scenes[step % Math.max(1, scenes.length)]
}

/** In every hall and on every beamer dark is better. */
function useDark(): void {
  useEffect(() => {
    delete document.documentElement.dataset['theme']
  }, [])
}

/** Where the browser offers it, the screen stays on. */
function useWakeLock(): void {
  useEffect(() => {
    const wake = () => {
      // Absent without a secure context.
      const lock = (navigator as Partial<Navigator>).wakeLock
      if (!document.hidden) lock?.request('screen').catch(() => {})
    }
    wake()
    document.addEventListener('visibilitychange', wake)
    return () => document.removeEventListener('visibilitychange', wake)
  }, [])
}

/** The large screen of a party: full of scenes that change, readable from the last row. */
export function Page({ link }: { link: OwnShareLink }) {
  const id = Number(link.subject)
  const { data, error, dataUpdatedAt } = useKiosk(id)
  const now = useNow(1000)
  useDark()
  useWakeLock()
  if (hasEnded(error)) return <PartyEnded />
  if (data === undefined) return <main className="min-h-dvh" />
  return <Screen view={data} now={now} isSilent={now.getTime() - dataUpdatedAt > silentMs} />
}

function Screen({ view, now, isSilent }: { view: KioskView; now: Date; isSilent: boolean }) {
  const [title, Show] = useScene(scenesOf(view)) ?? []
  return (
    <main
      className="fixed inset-0 cursor-none overflow-hidden px-[2.6vw] py-[3.2vh]"
      data-stale={isSilent || undefined}
    >
      {/* No pixel shows the same for hours. */}
      <div className="flex h-full animate-[drift_240s_ease-in-out_infinite] flex-col gap-[3vh]">
        <header className="flex items-baseline gap-[2vw]">
          <h1 className="truncate text-[3.2vw] leading-tight font-bold">{view.event.name}</h1>
          {isSilent && (
            <p role="status" className="text-[2vw] text-fetched-ink">
              {t('party.reconnecting')}
            </p>
          )}
          <p className="figure ml-auto text-[3.2vw] text-dim">{clockText(now)}</p>
        </header>
        {title !== undefined && Show !== undefined && (
          <section
            key={title}
            className="flex min-h-0 flex-1 animate-[appear_0.8s_ease-out] flex-col"
            aria-label={t(title)}
          >
            <h2 className="mb-[2.4vh] text-[2.3vw] text-dim">{t(title)}</h2>
            <div className="min-h-0 flex-1">
              <Show view={view} />
            </div>
          </section>
        )}
        <Ticker view={view} />
      </div>
    </main>
  )
}

/** What every scene has below it: the figures of the moment, and the code to join. */
function Ticker({ view }: { view: KioskView }) {
  const [newest] = view.newest
  const [wish] = view.wishes
  return (
    <footer className="flex items-end gap-[3vw]">
      <Item name={t('party.now')}>
        <Figure amount={rateAmount(view.bytesPerSecond)} className="live-figure" />
      </Item>
      <Item name={t('party.saved')}>
        <Figure amount={byteAmount(view.totals.savedBytes)} />
      </Item>
      {newest !== undefined && (
        <Item name={t('party.latest')} isWide>
          {titleOf(newest.name)}
        </Item>
      )}
      {wish !== undefined && (
        <Item name={t('party.topWish')} isWide>
          {wish.name}
        </Item>
      )}
      {view.guestPath !== null && (
        <div className="ml-auto flex flex-none items-end gap-[1.2vw]">
          <p className="max-w-[11vw] text-right text-[1.5vw] leading-tight text-dim">
            {t('party.join')}
          </p>
          <Qr
            text={new URL(view.guestPath, location.origin).href}
            label={t('party.join')}
            className="size-[21vh] rounded-[1vh]"
          />
        </div>
      )}
    </footer>
  )
}

interface ItemProps {
  name: string
  /** Takes the room that figures leave. */
  isWide?: boolean
  children: React.ReactNode
}

const Item = ({ name, isWide = false, children }: ItemProps) => (
  <div className={clsx('min-w-0', isWide ? 'flex-1' : 'flex-none')}>
    <p className="text-[1.5vw] text-dim">{name}</p>
    <p className="truncate text-[2.5vw] leading-tight font-semibold">{children}</p>
  </div>
)
