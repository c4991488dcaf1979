import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { clsx } from 'clsx'
import type { SectionName } from '../../api/batch.ts'
import { useBatch } from '../../api/queries.ts'
import { PageFrame } from '../../app/page-frame.tsx'
import { RangePicker } from '../../app/range-picker.tsx'
import { readRange, writeRange, type Range } from '../../app/range.ts'
import { Trouble } from '../../components/notice.tsx'
import { t } from '../../locales/translate.ts'
import { ClientsCard } from './clients-card.tsx'
import { GamesCard } from './games-card.tsx'
import { HealthLine } from './health-line.tsx'
import { HoursCard } from './hours-card.tsx'
import { LeadFigures } from './lead-figures.tsx'
import { NowCard } from './now-card.tsx'
import { ThroughputCard } from './throughput-card.tsx'

const route = getRouteApi('/')

/** Overview: savings, health, forecast, throughput, current downloads, games, clients and hours. */
export function Page() {
  const range = readRange(route.useSearch())
  const navigate = useNavigate()
  const choose = (next: Range) =>
    void navigate({ to: '/', search: writeRange(next), resetScroll: false })
  const batch = useBatch(range)
  const data = batch.data
  /** The class of what shows figures from before a failure. */
  const age = (section: SectionName) =>
    batch.isRefetchError || data?.old?.includes(section) === true ? 'old-figure' : ''
  const isMissing = data === undefined && batch.error !== null
  return (
    <PageFrame title={t('nav.overview')} tools={<RangePicker value={range} onChange={choose} />}>
      <div className="grid gap-3.5 lg:grid-cols-12">
        <LeadFigures batch={data} range={range} isFailed={isMissing} age={age('dashboard')} />
        <HealthLine cache={data?.cache ?? null} />
        {isMissing && (
          <div className="card lg:col-span-12">
            <Trouble error={batch.error} />
          </div>
        )}
        <ThroughputCard
          range={range}
          onRange={choose}
          sparklines={data?.sparklines}
          isLoading={data === undefined}
          age={age('sparklines')}
          className="lg:col-span-8"
        />
        <NowCard downloads={data?.downloads} className={clsx('lg:col-span-4', age('downloads'))} />
        <GamesCard
          range={range}
          services={data?.services}
          isLoading={data === undefined}
          className={clsx('lg:col-span-7 lg:row-span-2', age('services'))}
        />
        <ClientsCard
          clients={data?.clients}
          total={data?.clientsTotal ?? 0}
          isLoading={data === undefined}
          className={clsx('lg:col-span-5', age('clients'))}
        />
        <HoursCard
          activity={data?.hourlyActivity}
          isLoading={data === undefined}
          className={clsx('lg:col-span-5', age('hourlyActivity'))}
        />
      </div>
    </PageFrame>
  )
}
