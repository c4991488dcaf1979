import { getRouteApi, useNavigate, Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { LayoutDashboard } from 'lucide-react'
import { Suspense, useState, type ReactNode } from 'react'
import type { SectionName } from '../../api/batch.ts'
import { useBatch, useIsAccount } from '../../api/queries.ts'
import { PageFrame } from '../../app/page-frame.tsx'
import { RangePicker } from '../../app/range-picker.tsx'
import { readRange, writeRange, type Range } from '../../app/range.ts'
import { Trouble, Away, Nothing, Waiting, Card } from '../../components/card.tsx'
import { Popover } from '../../components/popover.tsx'
import { t, tn } from '../../locales/translate.ts'
import { bandsOf, type Arrangement, type Band, type CardId } from './arrangement.ts'
import { GamesCard } from './games-card.tsx'
import { HealthLine } from './health-line.tsx'
import { LeadFigures } from './lead-figures.tsx'
import { NowCard } from './now-card.tsx'
import { ThroughputCard } from './throughput-card.tsx'
import { OverviewContext, useOverview } from './use-overview.ts'
import { useArrangement, useHasThirdColumn } from './use-arrangement.ts'
import { HourStrip } from '../../components/hour-strip.tsx'
import { byteText } from '../../format/numbers.ts'
import { timeText, agoText } from '../../format/times.ts'
import { useNow } from '../../app/clock.ts'
import { ClientMark } from '../../components/clients/device-icon.tsx'
import { shareOf, useClientRow } from '../../app/game-shares.ts'
import { RankedList, type RankedRow } from '../../components/ranking.tsx'
import { lazyPart } from '../../app/lazy-part.ts'

const route = getRouteApi('/')

const ExtraCard = lazyPart(async () => (await import('./extra-cards.tsx')).ExtraCard, 'cache')

const ArrangePanel = lazyPart(
  async () => (await import('./arrange-panel.tsx')).ArrangePanel,
  'reports',
  'cache',
  'work',
)

/** Overview: savings, health, forecast, throughput, current downloads, games, clients and hours. */
export function Page() {
  const range = readRange(route.useSearch())
  const navigate = useNavigate()
  const choose = (next: Range) =>
    void navigate({ to: '/', search: writeRange(next), resetScroll: false })
  const batch = useBatch(range)
  const data = batch.data
  const arrangement = useArrangement()
  const hasThirdColumn = useHasThirdColumn()
  const age = (section: SectionName) =>
    batch.isRefetchError || data?.old?.includes(section) === true ? 'old-figure' : ''
  const isMissing = data === undefined && batch.error !== null
  return (
    <PageFrame
      title={t('nav.overview')}
      isWide
      tools={
        <>
          <RangePicker />
          <Arrange arrangement={arrangement} className="max-sm:hidden" />
        </>
      }
    >
      <OverviewContext value={{ range, onRange: choose, batch: data, isFailed: isMissing, age }}>
        <div className="grid grid-cols-1 gap-3.5">
          <LeadFigures />
          <HealthLine cache={data?.cache ?? null} />
          {isMissing && (
            <div className="card">
              <Trouble error={batch.error} />
            </div>
          )}
          {/* Keeps its place while the order is unknown. */}
          {arrangement === null && <div className="min-h-dvh" />}
          {bandsOf(arrangement ?? [], hasThirdColumn).map((band) => (
            <BandRow key={band.wide ?? 'narrow'} band={band} />
          ))}
          <Arrange arrangement={arrangement} className="justify-self-center sm:hidden" />
        </div>
      </OverviewContext>
    </PageFrame>
  )
}

const extra = (id: 'growth' | 'services') => (
  <Suspense fallback={<div className="card min-h-[334px]" />}>
    <ExtraCard id={id} />
  </Suspense>
)

/** Every card; those that no row has are never mounted. */
const cards: Readonly<Record<CardId, ReactNode>> = {
  flow: <ThroughputCard />,
  now: <NowCard />,
  growth: extra('growth'),
  games: <GamesCard />,
  clients: <ClientsCard />,
  services: extra('services'),
  hours: <HoursCard />,
}

/** A wide card with narrow ones at its side, in one column or, where there is room, in two. */
function BandRow({ band: { wide, side } }: { band: Band }) {
  const entry = (id: CardId) => (
    <div key={id} className="grid grid-cols-1">
      {cards[id]}
    </div>
  )
  if (wide === null) {
    return (
      <div className="grid grid-cols-1 gap-3.5 lg:grid-cols-2 3xl:grid-cols-3 [&>:only-child]:col-span-full">
        {side.map(entry)}
      </div>
    )
  }
  const [left, right] =
    wide === 'flow' ? ['lg:col-span-8', 'lg:col-span-4'] : ['lg:col-span-7', 'lg:col-span-5']
  return (
    <div className="grid grid-cols-1 gap-3.5 lg:grid-cols-12 3xl:grid-cols-2">
      <div
        className={clsx(
          'grid grid-cols-1',
          side.length === 0 ? 'col-span-full' : left,
          '3xl:col-span-1',
        )}
      >
        {cards[wide]}
      </div>
      {side.length > 0 && (
        <div
          className={clsx(
            'grid grid-cols-1 gap-3.5',
            right,
            '3xl:col-span-1',
            side.length > 1 && '3xl:grid-cols-2 3xl:[&>:last-child:nth-child(odd)]:col-span-2',
          )}
        >
          {side.map(entry)}
        </div>
      )}
    </div>
  )
}

interface ArrangeProps {
  arrangement: Arrangement | null
  className: string
}

/** Opens the list of cards, which is loaded then. */
function Arrange({ arrangement, className }: ArrangeProps) {
  const [wasOpened, setWasOpened] = useState(false)
  return (
    <div className={className}>
      <Popover
        label={t('arrange.label')}
        face={<LayoutDashboard size={15} />}
        buttonClass="control px-2.5"
        className="w-[290px]"
        onOpen={() => setWasOpened(true)}
      >
        {() =>
          wasOpened &&
          arrangement !== null && (
            <Suspense fallback={<div className="h-80" />}>
              <ArrangePanel cards={arrangement} />
            </Suspense>
          )
        }
      </Popover>
    </div>
  )
}

/**
 * The day as 24 fields: the more was served in an hour (mean of the range), the stronger its
 * colour.
 */
function HoursCard() {
  const { batch, age } = useOverview()
  const activity = batch?.hourlyActivity
  const hours = activity?.hours ?? []
  const most = Math.max(0, ...hours.map(({ avgBytesServed }) => avgBytesServed))
  const zone = activity?.timeZone
  // The server uses its own time zone, which is named if different.
  const isForeign =
    zone !== undefined && zone !== new Intl.DateTimeFormat().resolvedOptions().timeZone
  const note = isForeign ? t('hours.noteZone', { zone }) : t('hours.note')
  const peak = hours.find(({ hour }) => hour === activity?.peakHour)
  return (
    <Card title={t('hours.title')} note={note} className={age('hourlyActivity')}>
      {batch === undefined ? (
        <Waiting rows={1} />
      ) : !activity ? (
        <Away className="py-3" />
      ) : most === 0 ? (
        <Nothing title={t('hours.none')} className="py-3" />
      ) : (
        <>
          <HourStrip
            hours={hours.map(({ hour, avgBytesServed }) => ({ hour, bytes: avgBytesServed }))}
          />
          {peak !== undefined && (
            <p className="mt-2 text-small text-dim">
              {t('hours.peak', {
                from: timeText(`${peak.hour}:00`),
                to: timeText(`${(peak.hour + 1) % 24}:00`),
                bytes: byteText(peak.avgBytesServed),
              })}
            </p>
          )}
        </>
      )}
    </Card>
  )
}

const shownMax = 4

function ClientsCard() {
  const { batch, age } = useOverview()
  const { clients, clientsTotal: total = 0 } = batch ?? {}
  const isAccount = useIsAccount()
  const rowOf = useClientRow()
  const now = useNow(15_000)
  const rows = (clients ?? []).slice(0, shownMax).map((client): RankedRow => {
    const members = client.groupMemberIps?.length ?? 0
    const last = (
      <span className="text-small">{agoText(new Date(client.lastActivityUtc), now)}</span>
    )
    return {
      ...rowOf(shareOf(client)),
      ...(members > 1
        ? { note: tn('count.addresses', members) }
        : { icon: <ClientMark ip={client.clientIp} /> }),
      last,
    }
  })
  const all = (
    <Link to="/clients" className="hover:text-text">
      {tn('count.clients', total)} ›
    </Link>
  )
  return (
    <Card
      title={t('clients.title')}
      note={t('games.note')}
      className={age('clients')}
      action={isAccount && total > shownMax ? all : undefined}
    >
      {batch === undefined ? (
        <Waiting rows={3} />
      ) : !clients ? (
        <Away />
      ) : rows.length === 0 ? (
        <Nothing title={t('clients.none')}>{t('clients.noneText')}</Nothing>
      ) : (
        <RankedList rows={rows} />
      )}
    </Card>
  )
}
