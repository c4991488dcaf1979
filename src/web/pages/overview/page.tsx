import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { LayoutDashboard } from 'lucide-react'
import { lazy, Suspense, useState, type ReactNode } from 'react'
import type { SectionName } from '../../api/batch.ts'
import { useBatch } from '../../api/queries.ts'
import type { Batch } from '../../api/wire.ts'
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
  const arrangement = useArrangement()
  const hasThirdColumn = useHasThirdColumn()
  /** The class of what shows figures from before a failure. */
  const age = (section: SectionName) =>
    batch.isRefetchError || data?.old?.includes(section) === true ? 'old-figure' : ''
  const cards = cardsOf({ batch: data, range, onRange: choose, age })
  const isMissing = data === undefined && batch.error !== null
  return (
    <PageFrame
      title={t('nav.overview')}
      isWide
      tools={
        <>
          <RangePicker value={range} onChange={choose} />
          <Arrange arrangement={arrangement} className="max-sm:hidden" />
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
        {arrangement === null && <div className="min-h-dvh" />}
        {bandsOf(arrangement ?? [], hasThirdColumn).map((band) => (
          <BandRow key={band.wide ?? 'narrow'} band={band} cards={cards} />
        ))}
        <Arrange arrangement={arrangement} className="justify-self-center sm:hidden" />
      </div>
    </PageFrame>
  )
}

interface CardParts {
  batch: Batch | undefined
  range: Range
  onRange: (range: Range) => void
  age: (section: SectionName) => string
}

/** Every card; those that no row has are never mounted. */
function cardsOf({ batch, range, onRange, age }: CardParts): Record<CardId, ReactNode> {
  const isLoading = batch === undefined
  const extra = (id: 'growth' | 'services') => (
    <Suspense fallback={<div className="card min-h-[334px]" />}>
      <ExtraCard id={id} services={batch?.services} className={age('services')} />
    </Suspense>
  )
  return {
    flow: (
      <ThroughputCard
        range={range}
        onRange={onRange}
        sparklines={batch?.sparklines}
        isLoading={isLoading}
        age={age('sparklines')}
        className=""
      />
    ),
    now: <NowCard downloads={batch?.downloads} className={age('downloads')} />,
    growth: extra('growth'),
    games: (
      <GamesCard
        range={range}
        services={batch?.services}
        isLoading={isLoading}
        className={age('services')}
      />
    ),
    clients: (
      <ClientsCard
        clients={batch?.clients}
        total={batch?.clientsTotal ?? 0}
        isLoading={isLoading}
        className={age('clients')}
      />
    ),
    services: extra('services'),
    hours: (
      <HoursCard
        activity={batch?.hourlyActivity}
        isLoading={isLoading}
        className={age('hourlyActivity')}
      />
    ),
  }
}

interface BandRowProps {
  band: Band
  cards: Record<CardId, ReactNode>
}

/** A wide card with narrow ones at its side, in one column or, where there is room, in two. */
function BandRow({ band: { wide, side }, cards }: BandRowProps) {
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
