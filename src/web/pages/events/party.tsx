import { ExternalLink, X } from 'lucide-react'
import { useState } from 'react'
import type { CalendarEvent } from '../../api/event-queries.ts'
import { keys } from '../../api/client.ts'
import { addGames, makeReady } from '../../api/prefill-schedules.ts'
import {
  endParty,
  hostKey,
  removeWish,
  renewLinks,
  saveParty,
  useHost,
  type HostParty,
  type PartySettings,
  type Wish,
} from '../../api/party-queries.ts'
import { Button } from '../../components/form-controls.tsx'
import { Card, Pending, Saves } from '../../components/card.tsx'
import { CopyField } from '../../components/copy-field.tsx'
import { Dot, type Tone, Named } from '../../components/figures.tsx'
import { Qr } from '../../components/qr.tsx'
import { SidePanel } from '../../components/side-panel.tsx'
import { byteText } from '../../format/numbers.ts'
import { t, tn, type Key } from '../../locales/translate.ts'
import { PartyTexts } from './party-texts.tsx'
import { Action } from '../../components/setting-controls.tsx'

const empty: PartySettings = { rules: '', wifi: '', timetable: [], showsNames: false }

const states: Readonly<Record<Wish['state'], readonly [tone: Tone, label: Key]>> = {
  ready: ['good', 'party.stateReady'],
  fetching: ['good', 'party.stateFetching'],
  onBoard: ['attention', 'party.stateOnBoard'],
  open: ['quiet', 'party.stateOpen'],
}

/** The party of an event for its host: the switch, the links, and what guests wish for. */
export function PartyCard({ event }: { event: CalendarEvent }) {
  const { data, error } = useHost(event.id)
  return (
    <Card title={t('party.title')} className="mb-3.5" stale={[]}>
      {data === undefined ? (
        <Pending error={error} rows={2} />
      ) : data.settings === null ? (
        <Off id={event.id} />
      ) : (
        <On id={event.id} party={data} settings={data.settings} />
      )}
    </Card>
  )
}

const Off = ({ id }: { id: number }) => (
  <div className="flex flex-wrap items-center gap-3">
    <p className="max-w-[70ch] min-w-[240px] flex-1 text-dim">{t('party.lead')}</p>
    <Action
      label={t('party.turnOn')}
      run={() => saveParty(id, empty)}
      done={t('party.wasTurnedOn')}
    />
  </div>
)

interface OnProps {
  id: number
  party: HostParty
  settings: PartySettings
}

function On({ id, party, settings }: OnProps) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <div className="grid gap-5 lg:grid-cols-2">
      <div className="min-w-0 space-y-3">
        <Links party={party} />
        <div className="flex flex-wrap gap-2">
          <Button onClick={() => setIsOpen(true)}>{t('party.texts')}</Button>
          <Action
            label={t('party.renew')}
            consequence={t('party.renewConsequence')}
            run={() => renewLinks(id)}
            done={t('party.wasRenewed')}
          />
          <Action
            label={t('party.off')}
            consequence={t('party.offConsequence')}
            run={() => endParty(id)}
            done={t('party.wasEnded')}
          />
        </div>
      </div>
      <Wishes id={id} wishes={party.wishes} />
      <SidePanel title={t('party.texts')} isOpen={isOpen} onClose={() => setIsOpen(false)}>
        <PartyTexts id={id} settings={settings} onDone={() => setIsOpen(false)} />
      </SidePanel>
    </div>
  )
}

/** An address that means another machine on every other machine. */
const isOnlyHere = (host: string): boolean => /^(localhost|127\.|\[::1\])/.test(host)

function Links({ party: { guestPath, kioskPath } }: Pick<OnProps, 'party'>) {
  if (guestPath === null || kioskPath === null) {
    return (
      <p className="flex items-center gap-2">
        <Dot tone="attention" />
        {t('party.linksGone')}
      </p>
    )
  }
  const address = new URL(guestPath, location.origin).href
  return (
    <div className="flex gap-4">
      <Qr
        text={address}
        label={t('party.join')}
        className="size-[140px] flex-none rounded-control"
      />
      <div className="min-w-0 flex-1 space-y-3">
        <CopyField label={t('party.guestLink')} value={address} />
        <a className="control" href={kioskPath} target="_blank" rel="noreferrer">
          <ExternalLink size={15} />
          {t('party.kioskLink')}
        </a>
        {isOnlyHere(location.hostname) && (
          <p className="flex items-baseline gap-2 text-small">
            <Dot tone="attention" />
            {t('party.localAddress')}
          </p>
        )}
      </div>
    </div>
  )
}

const Wishes = ({ id, wishes }: { id: number; wishes: readonly Wish[] }) => (
  <section aria-label={t('party.wishes')} className="min-w-0">
    <h3 className="text-small text-dim">{t('party.wishes')}</h3>
    {wishes.length === 0 && <p className="mt-1.5">{t('party.nobodyYet')}</p>}
    <ul className="max-h-[320px] overflow-y-auto">
      {wishes.map((wish) => (
        <WishRow key={wish.id} id={id} wish={wish} />
      ))}
    </ul>
  </section>
)

function WishRow({ id, wish }: { id: number; wish: Wish }) {
  const { name, platform, appId, state, totalBytes } = wish
  const [tone, label] = states[state]
  const fetch = async (game: Parameters<typeof addGames>[0][number]) => {
    await addGames([game])
    await makeReady()
  }
  const note = [
    tn('party.votes', wish.votes),
    totalBytes === null ? '' : byteText(totalBytes),
  ].filter((part) => part !== '')
  return (
    <li className="flex min-h-[52px] items-center gap-3 border-line py-2 not-last:border-b">
      <div className="min-w-0 flex-1">
        <Named
          name={name}
          note={
            <span className="flex items-center gap-1.5">
              <Dot tone={tone} />
              {[t(label), ...note].join(' · ')}
            </span>
          }
        />
      </div>
      <Saves stale={[hostKey(id), keys.prefill]}>
        {state === 'open' && platform !== null && appId !== null && (
          <Action
            className="h-8"
            label={t('party.makeReady')}
            name={`${t('party.makeReady')}: ${name}`}
            run={() => fetch({ platform, appId, name })}
            done={t('party.willBeReady', { name })}
          />
        )}
        <Action
          className="h-8 px-2"
          label={t('party.removeWish', { name })}
          run={() => removeWish(id, wish.id)}
          done={t('party.wasRemoved', { name })}
        >
          <X size={15} />
        </Action>
      </Saves>
    </li>
  )
}
