import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { ChartSpline, Download, Pencil, Trash2 } from 'lucide-react'
import { Suspense, useState } from 'react'
import { useEvent, type CalendarEvent } from '../../api/event-queries.ts'
import { useBatch, useCountedGames, useIsAccount } from '../../api/queries.ts'
import { useSummary } from '../../api/report-queries.ts'
import { PageFrame } from '../../app/page-frame.tsx'
import { useReaders } from '../../app/readers.ts'
import { writeRange, type Range } from '../../app/range.ts'
import { useNow } from '../../app/clock.ts'
import { Absent, isGone } from '../../components/absent.tsx'
import { ClientMark } from '../../components/clients/device-icon.tsx'
import { FlowCard } from '../../components/flow/flow-card.tsx'
import { Ranking } from '../../components/ranking.tsx'
import { Total, Totals } from '../../components/totals.tsx'
import { countText } from '../../format/numbers.ts'
import { t } from '../../locales/translate.ts'
import { gameRow, shareOf, useClientRow } from '../../app/game-shares.ts'
import { SidePanel } from '../../components/side-panel.tsx'
import { Button } from '../../components/form-controls.tsx'
import { EventDownloads } from './downloads.tsx'
import { draftOf, EventForm } from './event-form.tsx'
import { HueDot } from '../../components/events/hue.tsx'
import { StateMark } from './list.tsx'
import { useDeleteEvent } from './pending-delete.ts'
import { lengthText, spanText } from '../../app/events/times.ts'
import { lazyPart } from '../../app/lazy-part.ts'

const route = getRouteApi('/events/$id')
const shownMax = 6

const OwnReport = lazyPart(async () => (await import('./own-report.tsx')).OwnReport)
const PartyCard = lazyPart(async () => (await import('./party.tsx')).PartyCard)

/** One event: what was downloaded with its tag, by which clients and when. */
export function Page() {
  const { id } = route.useParams()
  const { view } = route.useSearch()
  const number = /^[1-9]\d{0,14}$/.test(id) ? Number(id) : 0
  const { data: event, error } = useEvent(number)
  const isAccount = useIsAccount()
  return (
    <PageFrame
      title={event?.name ?? t('events.one')}
      back={{ to: '/events', label: t('nav.events') }}
      tools={event !== undefined && isAccount && <Tools event={event} />}
    >
      {event === undefined ? (
        <div className="card p-5">
          <Absent
            error={error}
            isGone={number === 0 || isGone(error)}
            title={t('events.gone')}
            text={t('events.goneText')}
          />
        </div>
      ) : (
        <Suspense>
          {view === 'report' ? <OwnReport event={event} /> : <Known event={event} />}
        </Suspense>
      )}
    </PageFrame>
  )
}

function Tools({ event }: { event: CalendarEvent }) {
  const navigate = useNavigate()
  const deleteEvent = useDeleteEvent()
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button className="max-md:px-2.5" onClick={() => setIsOpen(true)}>
        <Pencil size={15} />
        <span className="max-md:sr-only">{t('events.edit')}</span>
      </Button>
      <Button
        className="max-md:px-2.5"
        onClick={() => {
          deleteEvent(event)
          void navigate({ to: '/events' })
        }}
      >
        <Trash2 size={15} />
        <span className="max-md:sr-only">{t('events.delete')}</span>
      </Button>
      <SidePanel title={event.name} isOpen={isOpen} onClose={() => setIsOpen(false)}>
        <EventForm draft={draftOf(event)} event={event} onDone={() => setIsOpen(false)} />
      </SidePanel>
    </>
  )
}

function Known({ event }: { event: CalendarEvent }) {
  const now = useNow(30_000)
  const isAccount = useIsAccount()
  const { owner: isOwner } = useReaders()
  const range: Range = { span: 'all', event: event.id }
  const batch = useBatch(range)
  const games = useCountedGames(shownMax, range)
  const { data: summary } = useSummary({}, range)
  const rowOf = useClientRow(range)
  const clients = batch.data?.clients
    ?.slice(0, shownMax)
    .map((client) => ({ ...rowOf(shareOf(client)), icon: <ClientMark ip={client.clientIp} /> }))
  const period = batch.data?.dashboard?.period
  const sparklines = batch.data?.sparklines
  const traffic = sparklines
    ? {
        bucketMinutes: sparklines.bucketMinutes,
        series: sparklines.bucketStarts.map((at, index) => ({
          startTimeUtc: new Date(at * 1000).toISOString(),
          hitBytes: sparklines.bandwidthSaved.data[index] ?? 0,
          missBytes: sparklines.addedToCache.data[index] ?? 0,
        })),
      }
    : undefined
  return (
    <>
      <div className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-1 text-[13px] text-dim">
        <HueDot index={event.colorIndex} className="size-[11px]" />
        <StateMark event={event} now={now} />
        <span className="figure">{spanText(event, now)}</span>
        <span className="figure">{lengthText(event)}</span>
        <span className="flex flex-wrap gap-2 max-md:order-last max-md:w-full md:ml-auto">
          <Link
            to="/events/$id"
            params={{ id: String(event.id) }}
            search={{ view: 'report' }}
            className="control"
          >
            {t('report.open')}
          </Link>
          <Link
            to="/events/compare"
            search={{ ids: String(event.id) }}
            className="control max-md:px-2.5"
          >
            <ChartSpline size={15} />
            <span className="max-md:sr-only">{t('events.compare')}</span>
          </Link>
          <Link to="/downloads" search={writeRange(range)} className="control">
            {t('events.asFilter')}
          </Link>
          {isAccount && (
            <Link
              to="/prefill/ready"
              search={{ add: 'suggestions', event: event.id }}
              className="control"
            >
              {t('events.makeReady')}
            </Link>
          )}
          <a
            className="control"
            href={`/api/ext/events/${event.id}/export?format=csv&taggedOnly=true`}
            download
            aria-label={t('events.export')}
          >
            <Download size={15} />
            CSV
          </a>
        </span>
        {event.description !== null && event.description !== '' && (
          <p className="w-full whitespace-pre-line text-text">{event.description}</p>
        )}
      </div>
      <Totals
        label={t('events.totals')}
        cached={period?.bandwidthSaved ?? 0}
        fetched={period?.addedToCache ?? 0}
        downloads={period?.downloads ?? 0}
        explained={{ range }}
      >
        <Total
          name={t('nav.clients')}
          explained={{ number: 'dashboard.uniqueClients', name: t('nav.clients'), range }}
        >
          {countText(batch.data?.dashboard?.uniqueClients ?? 0)}
        </Total>
        <Total name={t('nav.games')}>{countText(summary?.games ?? 0)}</Total>
      </Totals>
      <div className="mb-3.5 grid gap-3.5 lg:grid-cols-12">
        <FlowCard title={t('events.course')} traffic={traffic} className="lg:col-span-12" />
        <Ranking
          title={t('nav.games')}
          note={t('games.note')}
          rows={games.data?.items.map((row) => gameRow(row, range))}
          empty={t('events.noGames')}
          className="lg:col-span-7"
        />
        <Ranking
          title={t('nav.clients')}
          note={t('games.note')}
          rows={clients}
          empty={t('events.noClients')}
          className="lg:col-span-5"
        />
      </div>
      {isOwner && (
        <Suspense fallback={null}>
          <PartyCard event={event} />
        </Suspense>
      )}
      <EventDownloads event={event} now={now} />
    </>
  )
}
