import type { CacheForecast } from '../../../cache/snapshots/model.ts'
import {
  useAway,
  useCacheInfo,
  useDetection,
  useForecast,
  useIndexStates,
} from '../../api/cache-queries.ts'
import { Lead } from '../../components/lead.tsx'
import {
  byteAmount,
  byteText,
  countText,
  percentText,
  share,
  type Amount,
} from '../../format/numbers.ts'
import { dayText } from '../../format/times.ts'
import { t, tn } from '../../locales/translate.ts'
import { fullIn } from './space-left.ts'

const nearlyFullPercent = 95

/** Cache size, space left, full in, and the identified share. */
export const LeadFigures = () => (
  <section
    aria-label={t('lead.label')}
    className="card mb-3.5 grid grid-cols-2 lg:grid-cols-[1.25fr_1fr_1fr_1fr]"
  >
    <Stored />
    <SpaceLeftFigure />
    <FullInDays />
    <Recognised />
  </section>
)

/** Totals of the indexes; null before the first walk, and while they are loading. */
function useIndexed() {
  const { data, isLoading } = useIndexStates()
  const away = new Set(useAway().flatMap(({ datasources }) => datasources))
  // Datasources that share a folder are counted once, those of a node that is away not at all.
  const walked = (data?.items ?? []).filter(
    ({ datasource, sharedWith, walkedAt }) =>
      sharedWith === null && walkedAt !== null && !away.has(datasource),
  )
  const sums = {
    files: walked.reduce((sum, { files }) => sum + files, 0),
    bytes: walked.reduce((sum, { bytes }) => sum + bytes, 0),
  }
  return { isLoading, indexed: walked.length === 0 ? null : sums }
}

function useSpace() {
  const { data: info, isPending } = useCacheInfo()
  return {
    info,
    isPending,
    space: info?.space ?? null,
    isLimited: (info?.configuredCacheSize ?? 0) > 0,
  }
}

interface SpaceBarProps {
  own: number
  /** Other data on the same disk. */
  others: number
  total: number
}

/** The cache, other data and free space as one bar. */
function SpaceBar({ own, others, total }: SpaceBarProps) {
  const label = t('cache.roomBar', {
    own: byteText(own),
    others: byteText(others),
    total: byteText(total),
  })
  const isNearlyFull = share(own + others, total) >= nearlyFullPercent
  return (
    <span
      role="img"
      aria-label={label}
      title={label}
      className="mt-2.5 flex h-1.5 gap-px overflow-hidden rounded-bar bg-raise"
    >
      <span
        className={isNearlyFull ? 'bg-fetched' : 'bg-cache'}
        style={{ width: `${share(own, total)}%` }}
      />
      <span className="bg-edge opacity-60" style={{ width: `${share(others, total)}%` }} />
    </span>
  )
}

function Stored() {
  const { info, space, isLimited, isPending } = useSpace()
  const { indexed, isLoading } = useIndexed()
  return (
    <Lead
      title={t('cache.stored')}
      amount={indexed === null ? null : byteAmount(indexed.bytes)}
      isLoading={isPending || isLoading}
      className="col-span-2 lg:col-span-1"
    >
      {info !== undefined && !isLoading && (
        <p>{indexed === null ? t('cache.neverScanned') : tn('count.files', indexed.files)}</p>
      )}
      {space !== null && indexed !== null && (
        <SpaceBar
          own={Math.min(indexed.bytes, space.totalBytes)}
          others={isLimited ? 0 : Math.max(0, space.usedBytes - indexed.bytes)}
          total={space.totalBytes}
        />
      )}
    </Lead>
  )
}

function SpaceLeftFigure() {
  const { info, space, isLimited, isPending } = useSpace()
  return (
    <Lead
      title={t('lead.room')}
      // With its own limit it differs from the disk's free space.
      explained={{ number: isLimited ? 'forecast.roomBytes' : 'cache.freeCacheSize' }}
      amount={space === null ? null : byteAmount(space.roomBytes)}
      isLoading={isPending}
      className="border-t lg:border-t-0 lg:border-l"
    >
      {space !== null && info !== undefined && (
        <>
          <p>
            {t('lead.used', { used: byteText(space.usedBytes), total: byteText(space.totalBytes) })}
          </p>
          <p>
            {isLimited
              ? t('cache.diskFree', { free: byteText(info.freeCacheSize) })
              : t('cache.noLimit')}
          </p>
        </>
      )}
      {space === null && info !== undefined && t('lead.roomUnknown')}
    </Lead>
  )
}

function amountOf(forecast: CacheForecast | null): Amount | null {
  const full = fullIn(forecast)
  if (full.kind === 'full') return { value: t('lead.full'), unit: '' }
  if (full.kind === 'far') return { value: t('cache.notSoon'), unit: '' }
  if (full.kind === 'still') return { value: t('cache.never'), unit: '' }
  if (full.kind !== 'days') return null
  const days = Math.floor(full.days)
  if (days < 1) return { value: t('lead.underDay'), unit: '' }
  return { value: countText(days), unit: tn('unit.days', days) }
}

/** The data that the number of days is based on. */
function basisText(forecast: CacheForecast): string {
  const { growthBytesPerDay: perDay, basis } = forecast
  const whole = Math.max(1, Math.round(basis.days))
  const days = `${countText(whole)} ${tn('unit.days', whole)}`
  if (perDay === null) return t('cache.tooLittle')
  if (perDay <= 0) return t('lead.still', { days })
  return t('lead.perDay', { bytes: byteText(perDay), days })
}

function FullInDays() {
  const { data, isLoading, error } = useForecast()
  const { isPending } = useCacheInfo()
  const forecast = data ?? null
  return (
    <Lead
      title={t('lead.fullIn')}
      explained={{ number: 'forecast.daysUntilFull' }}
      amount={amountOf(forecast)}
      isLoading={isLoading || isPending}
      className="border-t border-l lg:border-t-0"
    >
      {forecast !== null && (
        <>
          <p>{basisText(forecast)}</p>
          <p>
            {forecast.fullAt !== null &&
              `${t('cache.fullAt', { day: dayText(new Date(forecast.fullAt)) })} · `}
            {forecast.basis.snapshots > 0 && tn('count.measures', forecast.basis.snapshots)}
          </p>
        </>
      )}
      {error !== null && forecast === null && t('trouble.historyAway')}
    </Lead>
  )
}

function Recognised() {
  const { data: detection, isLoading } = useDetection()
  const { isPending } = useCacheInfo()
  const { indexed, isLoading: isReading } = useIndexed()
  const has = detection?.hasCachedResults === true
  return (
    <Lead
      title={t('cache.games')}
      explained={{ number: 'detection.totalGamesDetected' }}
      amount={has ? { value: countText(detection.totalGamesDetected), unit: '' } : null}
      isLoading={isPending || isLoading}
      className="col-span-2 border-t lg:col-span-1 lg:border-t-0 lg:border-l"
    >
      {has && !isReading && (
        <>
          <p>
            {t('cache.ofGames', {
              bytes: byteText(detection.games_on_disk_bytes),
              percent: percentText(
                Math.min(100, share(detection.games_on_disk_bytes, indexed?.bytes ?? 0)),
              ),
            })}
          </p>
          <p>{tn('count.services', detection.totalServicesDetected)}</p>
        </>
      )}
      {detection !== undefined && !has && t('cache.neverScanned')}
    </Lead>
  )
}
