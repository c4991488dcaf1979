import { ArrowUp } from 'lucide-react'
import { useEffect, type ReactNode, useState } from 'react'
import type { OwnShareLink } from '../../../access/links/model.ts'
import {
  hasEnded,
  unvote,
  useGuest,
  useShowGuest,
  vote,
  type GuestView,
  nameDevice,
} from '../../api/party-queries.ts'
import { refusalText } from '../../api/refusal-text.ts'
import { useNow } from '../../app/clock.ts'
import { useSave } from '../../app/use-save.ts'
import { Artwork } from '../../components/artwork.tsx'
import { Button, Field, Form } from '../../components/form-controls.tsx'
import { Card, Pending } from '../../components/card.tsx'
import { Composition, Dot, Figure, Named } from '../../components/figures.tsx'
import { HueDot } from '../../components/events/hue.tsx'
import { PartyEnded } from '../../components/party-ended.tsx'
import { gameRef } from '../../format/game-ref.ts'
import {
  byteAmount,
  byteText,
  percentText,
  rateAmount,
  rateText,
  share,
} from '../../format/numbers.ts'
import { momentText, periodText, weekdayTimeText } from '../../format/times.ts'
import { t, tn } from '../../locales/translate.ts'
import { WishField, type Change } from './wish-field.tsx'

interface PartProps {
  id: number
  view: GuestView
}

/** The party on a guest's phone: the own device, what is ready, and wishes. */
export function Page({ link }: { link: OwnShareLink }) {
  const id = Number(link.subject)
  const { data, error } = useGuest(id)
  useEffect(() => {
    if (data !== undefined) document.title = data.event.name
  }, [data])
  if (hasEnded(error)) return <PartyEnded />
  if (data === undefined) {
    return (
      <main className="p-4">
        <Pending error={error} rows={6} />
      </main>
    )
  }
  return (
    <main
      className="mx-auto grid max-w-[620px] gap-3.5 px-3.5 pt-5 pb-12"
      data-stale={error !== null || undefined}
    >
      <Head view={data} isSilent={error !== null} />
      <Device id={id} view={data} />
      <Wishes id={id} view={data} />
      <Ready games={data.readyGames} />
      <Agenda lines={data.timetable} />
      <House view={data} />
      <Totals totals={data.totals} />
    </main>
  )
}

function Head({ view: { event }, isSilent }: { view: GuestView; isSilent: boolean }) {
  const now = useNow(60_000)
  const [from, to] = [new Date(event.startTimeUtc), new Date(event.endTimeUtc)]
  return (
    <header className="px-1">
      <h1 className="text-[24px] leading-tight font-bold tracking-tight">{event.name}</h1>
      <p className="mt-1 flex flex-wrap items-center gap-x-2 text-small text-dim">
        <HueDot index={event.colorIndex} />
        <span className="figure">{periodText(from, to, now)}</span>
        {event.state === 'before' && (
          <span>{t('party.before', { time: momentText(from, now) })}</span>
        )}
        {event.state === 'over' && <span>{t('party.over')}</span>}
        {isSilent && (
          <span role="status" className="text-fetched-ink">
            {t('party.reconnecting')}
          </span>
        )}
      </p>
    </header>
  )
}

function Device({ id, view: { device, showsNames } }: PartProps) {
  const { number, bytes, savedBytes, bytesPerSecond, games } = device
  return (
    <Card
      title={t('party.you')}
      note={number === null ? t('party.youAreNew') : t('party.youAre', { number })}
    >
      <p className="live-figure text-[40px] leading-none font-bold tracking-tight">
        <Figure amount={rateAmount(bytesPerSecond)} />
      </p>
      {games.length === 0 ? (
        <p className="mt-2 text-dim">{t('party.idle')}</p>
      ) : (
        <ul className="mt-2">
          {games.map((game) => (
            <li key={game.name} className="flex gap-2">
              <span className="min-w-0 flex-1 truncate">{game.name}</span>
              <span className="figure text-dim">{rateText(game.bytesPerSecond)}</span>
            </li>
          ))}
        </ul>
      )}
      {bytes > 0 && (
        <>
          <Composition cached={savedBytes} fetched={bytes - savedBytes} className="mt-4" />
          <p className="figure mt-1.5 text-small text-dim">
            {`${byteText(bytes)} · `}
            {t('party.fromCache', { percent: percentText(share(savedBytes, bytes)) })}
          </p>
        </>
      )}
      {showsNames && <NameField id={id} name={device.name} />}
    </Card>
  )
}

function Wishes({ id, view }: PartProps) {
  const isOver = view.event.state === 'over'
  const { save, isBusy, error } = useSave({ stale: [], showsError: true })
  const show = useShowGuest(id)
  const change: Change = (act, after) => save({ run: async () => show(await act()), after })
  return (
    <Card title={t('party.wishes')}>
      {!isOver && <WishField id={id} isBusy={isBusy} onChange={change} />}
      {error !== null && (
        <p role="alert" className="mt-2 text-bad">
          {refusalText(error)}
        </p>
      )}
      {view.wishes.length === 0 && (
        <p className="mt-3 text-small text-dim">{t('party.nobodyYet')}</p>
      )}
      <ul className="mt-2">
        {view.wishes.map((wish) => (
          <li
            key={wish.id}
            className="flex min-h-[52px] items-center gap-3 border-line py-2 not-last:border-b"
          >
            <div className="min-w-0 flex-1">
              <Named
                name={wish.name}
                note={
                  wish.state === 'ready' && (
                    <span className="flex items-center gap-1.5">
                      <Dot tone="good" />
                      {t('party.stateReady')}
                    </span>
                  )
                }
              />
            </div>
            <Vote
              wish={wish}
              isOff={isOver || isBusy}
              onChange={() => change(() => (wish.isVoted ? unvote : vote)(id, wish.id))}
            />
          </li>
        ))}
      </ul>
    </Card>
  )
}

interface VoteProps {
  wish: GuestView['wishes'][number]
  isOff: boolean
  onChange: () => void
}

/** A vote is given or taken back by the same button. */
const Vote = ({ wish, isOff, onChange }: VoteProps) => (
  <Button
    className="h-11 min-w-[72px] justify-center aria-pressed:border-cache aria-pressed:text-cache"
    aria-pressed={wish.isVoted}
    aria-label={`${t(wish.isVoted ? 'party.unvote' : 'party.vote', { name: wish.name })}, ${tn('party.votes', wish.votes)}`}
    disabled={isOff}
    onClick={onChange}
  >
    <ArrowUp size={16} />
    <span className="figure">{wish.votes}</span>
  </Button>
)

function Ready({ games }: { games: GuestView['readyGames'] }) {
  if (games.length === 0) return null
  return (
    <Card title={t('party.ready')}>
      <p className="-mt-2 mb-3 text-small text-dim">{t('party.readyText')}</p>
      <ul className="grid grid-cols-2 gap-3 sm:grid-cols-3">
        {games.map((game) => {
          const image = gameRef(game)
          return (
            <li key={image.id} className="min-w-0">
              <Artwork
                name={game.name}
                service={image.service}
                game={image}
                className="aspect-[460/215] w-full rounded-mark"
              />
              <p className="mt-1 truncate text-small">{game.name}</p>
            </li>
          )
        })}
      </ul>
    </Card>
  )
}

function Agenda({ lines }: { lines: GuestView['timetable'] }) {
  const now = useNow(60_000)
  if (lines.length === 0) return null
  return (
    <Card title={t('party.agenda')}>
      <ul className="space-y-1.5">
        {lines.map(({ atUtc, text }) => {
          const at = new Date(atUtc)
          return (
            <li
              key={`${atUtc} ${text}`}
              className={at < now ? 'flex gap-3 text-dim' : 'flex gap-3'}
            >
              <span className="figure w-[112px] flex-none text-dim">{weekdayTimeText(at)}</span>
              <span className="min-w-0 wrap-anywhere">{text}</span>
            </li>
          )
        })}
      </ul>
    </Card>
  )
}

const Lines = ({ title, children }: { title: string; children: ReactNode }) => (
  <div className="not-last:mb-3">
    <h3 className="text-small text-dim">{title}</h3>
    <p className="whitespace-pre-line wrap-anywhere select-text">{children}</p>
  </div>
)

function House({ view: { wifi, rules } }: { view: GuestView }) {
  if (wifi === '' && rules === '') return null
  return (
    <Card title={t('party.house')}>
      {wifi !== '' && <Lines title={t('party.wifi')}>{wifi}</Lines>}
      {rules !== '' && <Lines title={t('party.rules')}>{rules}</Lines>}
    </Card>
  )
}

const Totals = ({ totals }: { totals: GuestView['totals'] }) => (
  <Card title={t('party.totals')}>
    <p className="text-[24px] leading-tight font-bold text-cache">
      <Figure amount={byteAmount(totals.savedBytes)} />
    </p>
    <p className="mt-1 text-small text-dim">
      {t('party.savedOf', { bytes: byteText(totals.servedBytes) })}
    </p>
  </Card>
)

const nameMax = 24

/** The name that the guest chooses for the beamer. */
function NameField({ id, name }: { id: number; name: string }) {
  const [typed, setTyped] = useState<string | null>(null)
  const { save, isBusy } = useSave({ stale: [] })
  const show = useShowGuest(id)
  const value = typed ?? name
  return (
    <Form
      className="mt-4"
      onSubmit={() =>
        save({
          run: async () => show(await nameDevice(id, value.trim())),
          after: () => setTyped(null),
        })
      }
    >
      <Field
        label={t('party.myName')}
        hint={t('party.myNameHint')}
        value={value}
        maxLength={nameMax}
        autoComplete="nickname"
        onChange={({ target }) => setTyped(target.value)}
      />
      {value.trim() !== name && (
        <Button type="submit" className="mt-1 h-11 w-full justify-center" disabled={isBusy}>
          {t('party.save')}
        </Button>
      )}
    </Form>
  )
}
