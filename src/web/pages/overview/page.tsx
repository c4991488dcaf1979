import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { LayoutDashboard } from 'lucide-react'
import { lazy, Suspense, useState, type ReactNode } from 'react'
import type { SectionName } from '../../api/batch.ts'
import { useBatch } from '../../api/queries.ts'
import { PageFrame } from '../../app/page-frame.tsx'
import { RangePicker } from '../../app/range-picker.tsx'
import { readRange, writeRange, type Range } from '../../app/range.ts'
import { Trouble } from '../../components/notice.tsx'
import { Popover } from '../../components/popover.tsx'
import { loadTexts, t } from '../../locales/translate.ts'
import { bandsOf, type Arrangement, type Band, type CardId } from './arrangement.ts'
import { ClientsCard } from './clients-card.tsx'
import { GamesCard } from './games-card.tsx'
import { HealthLine } from './health-line.tsx'
import { HoursCard } from './hours-card.tsx'
import { LeadFigures } from './lead-figures.tsx'
import { NowCard } from './now-card.tsx'
import { ThroughputCard } from './throughput-card.tsx'
import { useArrangement, useHasThirdColumn } from './use-arrangement.ts'

const route = getRouteApi('/')

const ExtraCard = lazy(async () => {
  const [{ ExtraCard: Card }] = await Promise.all([import('./extra-cards.tsx'), loadTexts('cache')])
  return { default: Card }
})

const ArrangePanel = lazy(async () => {
  const [{ ArrangePanel: Panel }] = await Promise.all([
    import('./arrange-panel.tsx'),
    loadTexts('reports'),
    loadTexts('cache'),
    loadTexts('work'),
  ])
  return { default: Panel }
})

/** Overview: savings, health, forecast, throughput, current downloads, games, clients and hours. */
export function Page() {
  const range = readRange(route.useSearch())
  const navigate = useNavigate()
  const choose = (next: Range) =>
    void navigate({ to: '/', search: writeRange(next), resetScroll: false })
  const batch = useBatch(range)
  const data = batch.data
  const cards = useArrangement()
  const hasThirdColumn = useHasThirdColumn()
  /** The class of what shows figures from before a failure. */
  const age = (section: SectionName) =>
    batch.isRefetchError || data?.old?.includes(section) === true ? 'old-figure' : ''
  const isMissing = data === undefined && batch.error !== null
  const isLoading = data === undefined
  const cardOf = (id: CardId): ReactNode => {
    switch (id) {
      case 'flow':
        return (
          <ThroughputCard
            range={range}
            onRange={choose}
            sparklines={data?.sparklines}
            isLoading={isLoading}
            age={age('sparklines')}
            className=""
          />
        )
      case 'now':
        return <NowCard downloads={data?.downloads} className={age('downloads')} />
      case 'games':
        return (
          <GamesCard
            range={range}
            services={data?.services}
            isLoading={isLoading}
            className={age('services')}
          />
        )
      case 'clients':
        return (
          <ClientsCard
            clients={data?.clients}
            total={data?.clientsTotal ?? 0}
            isLoading={isLoading}
            className={age('clients')}
          />
        )
      case 'hours':
        return (
          <HoursCard
            activity={data?.hourlyActivity}
            isLoading={isLoading}
            className={age('hourlyActivity')}
          />
        )
      case 'growth':
      case 'services':
        return (
          <Suspense fallback={<div className="card min-h-[334px]" />}>
            <ExtraCard id={id} services={data?.services} className={age('services')} />
          </Suspense>
        )
    }
  }
  return (
    <PageFrame
      title={t('nav.overview')}
      isWide
      tools={
        <>
          <RangePicker value={range} onChange={choose} />
          <Arrange cards={cards} className="max-sm:hidden" />
        </>
      }
    >
      <div className="grid grid-cols-1 gap-3.5">
        <LeadFigures batch={data} range={range} isFailed={isMissing} age={age('dashboard')} />
        <HealthLine cache={data?.cache ?? null} />
        {isMissing && (
          <div className="card">
            <Trouble error={batch.error} />
          </div>
        )}
        {/* Keeps its place while the order is unknown. */}
        {cards === null && <div className="min-h-dvh" />}
        {bandsOf(cards ?? [], hasThirdColumn).map((band) => (
          <BandRow key={band.wide ?? 'narrow'} band={band} cardOf={cardOf} />
        ))}
        <Arrange cards={cards} className="justify-self-center sm:hidden" />
      </div>
    </PageFrame>
  )
}

interface BandRowProps {
  band: Band
  cardOf: (id: CardId) => ReactNode
}

/** A wide card with narrow ones at its side, in one column or, where there is room, in two. */
function BandRow({ band: { wide, side }, cardOf }: BandRowProps) {
  const entry = (id: CardId) => (
    <div key={id} className="grid grid-cols-1">
      {cardOf(id)}
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
        {cardOf(wide)}
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

/** Opens the list of cards, which is loaded then. */
function Arrange({ cards, className }: { cards: Arrangement | null; className: string }) {
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
          cards !== null && (
            <Suspense fallback={<div className="h-80" />}>
              <ArrangePanel cards={cards} />
            </Suspense>
          )
        }
      </Popover>
    </div>
  )
}
