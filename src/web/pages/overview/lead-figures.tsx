import { Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { Suspense } from 'react'
import { useBefore, useSavings, useStatus, type Batch } from '../../api/queries.ts'
import { periodOf, type Range } from '../../app/range.ts'
import type { Explained } from '../../components/explained.ts'
import { Lead } from '../../components/lead.tsx'
import { useFirstReadText } from '../../components/card.tsx'
import { Composition } from '../../components/figures.tsx'
import {
  byteAmount,
  byteText,
  changeText,
  countText,
  percentLead,
  rateAmount,
  rateText,
  share,
  type Amount,
} from '../../format/numbers.ts'
import { sampleOf } from '../../live/samples.ts'
import { useSpeeds } from '../../live/store.ts'
import { known, t, tn } from '../../locales/translate.ts'
import { useForecast } from '../../api/cache-queries.ts'
import { spaceLeft, type Pace, type SpaceLeft } from '../../app/space-left.ts'
import { useOverview } from './use-overview.ts'
import { lazyPart } from '../../app/lazy-part.ts'

/** The four figures that answer the three questions, as one card with shared edges. */
export const LeadFigures = () => (
  <section
    aria-label={t('lead.label')}
    className="card grid grid-cols-2 lg:grid-cols-[1.25fr_1fr_1fr_1fr] xl:grid-cols-[1.45fr_1fr_1fr_1fr]"
  >
    <Saved />
    <Ratio />
    <Now />
    <SpaceLeftFigure />
  </section>
)

/** What replaces figures of nothing while the log is read for the first time. */
function useReadingInstead(period: { totalServed: number } | undefined): string | null {
  const reading = useFirstReadText()
  return period?.totalServed === 0 ? reading : null
}

const SavingsFigures = lazyPart(
  async () => (await import('./savings-figures.tsx')).SavingsFigures,
  'reports',
)

function Saved() {
  const { batch, range, isFailed, age } = useOverview()
  const preceding = useBefore(range)
  const before = preceding.data?.period.bandwidthSaved ?? 0
  const period = batch?.dashboard?.period
  const saved = period?.bandwidthSaved ?? 0
  const change = before > 0 ? ((saved - before) / before) * 100 : null
  const against = 'span' in range ? known(`lead.against.${range.span}`) : null
  const savings = useSavings().data
  const isAdmin = useStatus().data?.sessionType === 'admin'
  const isSet = savings !== undefined && (savings.lineMbitPerSecond ?? savings.pricePerGb) !== null
  const reading = useReadingInstead(period)
  return (
    <Lead
      title={t('lead.saved')}
      explained={{ number: 'dashboard.period.bandwidthSaved', range }}
      amount={period === undefined || reading !== null ? null : byteAmount(saved)}
      further={
        isSet &&
        reading === null && (
          <Suspense>
            <SavingsFigures saved={saved} savings={savings} />
          </Suspense>
        )
      }
      isLoading={batch === undefined && !isFailed}
      className={clsx('max-sm:col-span-2', age('dashboard'))}
    >
      {batch !== undefined && !period && t('trouble.historyAway')}
      {reading}
      {period !== undefined && reading === null && (
        <>
          <p>
            {t('lead.ofServed', { served: byteText(period.totalServed) })}
            {/* A change of more than tenfold says more about the day than about the cache. */}
            {change === null && !preceding.isLoading && ` · ${t('lead.noComparison')}`}
            {change !== null && Math.abs(change) < 1000 && (
              <>
                {' · '}
                <strong className={change >= 0 ? 'text-cache' : 'text-text'}>
                  {changeText(change)}
                </strong>{' '}
                {t(against ?? 'lead.against')}
              </>
            )}
          </p>
          <Composition className="mt-2.5" cached={saved} fetched={period.addedToCache} />
          {isAdmin && savings !== undefined && !isSet && (
            <Link
              to="/settings/preferences"
              hash="savings.line"
              className="block leading-6 hover:text-text"
            >
              {t('lead.setSavings')} ›
            </Link>
          )}
        </>
      )}
    </Lead>
  )
}

function Ratio() {
  const { batch, range, isFailed, age } = useOverview()
  const period = batch?.dashboard?.period
  const hasTraffic = period !== undefined && period.totalServed > 0
  const reading = useReadingInstead(period)
  const percent = hasTraffic ? share(period.bandwidthSaved, period.totalServed) : 0
  return (
    <Lead
      title={t('lead.ratio')}
      explained={{ number: 'dashboard.period.hitRatio', range }}
      amount={hasTraffic ? { value: percentLead(percent), unit: '%' } : null}
      isLoading={batch === undefined && !isFailed}
      className={clsx('max-sm:border-t sm:border-l', age('dashboard'))}
    >
      {batch !== undefined && !period && t('trouble.historyAway')}
      {period !== undefined &&
        (hasTraffic
          ? t('lead.fetched', { bytes: byteText(period.addedToCache) })
          : (reading ?? t('lead.noTraffic')))}
      {period !== undefined && period.failedRequests > 0 && (
        <p>{tn('count.failedRequests', period.failedRequests)}</p>
      )}
    </Lead>
  )
}

/** What is left of a subtraction is no traffic; bytes per second. */
const leastRate = 10

function Now() {
  const speeds = useSpeeds()
  const games = speeds?.gameSpeeds.length ?? 0
  const clients = speeds?.clientSpeeds.length ?? 0
  const flow = speeds === null ? null : sampleOf(speeds)
  return (
    <Lead
      title={t('lead.now')}
      explained={{ number: 'speeds.totalBytesPerSecond' }}
      amount={speeds === null ? null : rateAmount(speeds.totalBytesPerSecond)}
      isLoading={speeds === null}
      className="live-figure border-t max-sm:border-l lg:border-t-0 lg:border-l"
    >
      {speeds !== null &&
        (games === 0
          ? t('lead.idle')
          : `${tn('count.games', games)} · ${tn('count.clients', clients)}`)}
      {flow !== null && games > 0 && (
        <>
          {flow.cached >= leastRate && <p>{`${rateText(flow.cached)} ${t('now.cached')}`}</p>}
          {flow.fetched >= leastRate && <p>{`${rateText(flow.fetched)} ${t('now.fetched')}`}</p>}
        </>
      )}
    </Lead>
  )
}

/** Length of the part of the range with data, seconds. */
function coveredSeconds(batch: Batch, range: Range): number {
  const period = periodOf(range, new Date())
  if (period !== null) return period.endTime - period.startTime
  const starts = batch.sparklines?.bucketStarts ?? []
  return (starts.at(-1) ?? 0) - (starts[0] ?? 0)
}

/** How fast the cache fills, and what the figure is based on. */
function paceText({ kind, perDay, days }: Pace): string {
  if (kind === 'still') return t('lead.still', { days: spanText(days) })
  const bytes = byteText(perDay)
  if (kind === 'estimated') return t('lead.estimated', { bytes })
  return t('lead.perDay', { bytes, days: spanText(days) })
}

function spanText(days: number): string {
  const whole = Math.max(1, Math.round(days))
  return `${countText(whole)} ${tn('unit.days', whole)}`
}

/**
 * Measured days have their own explanation; the space left is explained by the limit or the disk.
 */
function explainedBy(room: SpaceLeft, batch: Batch | undefined): Explained['number'] {
  if (room.kind === 'days' && room.pace.kind === 'measured') return 'forecast.daysUntilFull'
  const isLimited = (batch?.cache?.configuredCacheSize ?? 0) > 0
  return isLimited ? 'forecast.roomBytes' : 'cache.freeCacheSize'
}

function SpaceLeftFigure() {
  const { batch, range, isFailed } = useOverview()
  const forecast = useForecast()
  const seconds = batch === undefined ? 0 : coveredSeconds(batch, range)
  const room = spaceLeft(batch ?? {}, seconds, forecast.data ?? null)
  const isLoading = (batch === undefined && !isFailed) || forecast.isLoading
  const amount = ((): Amount | null => {
    if (room.kind === 'space') return byteAmount(room.free)
    if (room.kind === 'full') return { value: t('lead.full'), unit: '' }
    if (room.kind === 'unknown') return null
    const days = Math.floor(room.days)
    if (days < 1) return { value: t('lead.underDay'), unit: '' }
    return { value: countText(days), unit: tn('unit.days', days) }
  })()
  return (
    <Lead
      title={t(room.kind === 'days' ? 'lead.fullIn' : 'lead.room')}
      explained={{ number: explainedBy(room, batch) }}
      amount={amount}
      isLoading={isLoading}
      className="lead-pair border-t sm:border-l lg:border-t-0"
    >
      {!isLoading && room.kind === 'unknown' && t('lead.roomUnknown')}
      {!isLoading && room.kind !== 'unknown' && (
        <>
          <p>{t('lead.used', { used: byteText(room.used), total: byteText(room.total) })}</p>
          {room.kind !== 'full' && room.pace !== null && <p>{paceText(room.pace)}</p>}
        </>
      )}
    </Lead>
  )
}
