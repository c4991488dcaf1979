import { getRouteApi, useNavigate, Link } from '@tanstack/react-router'
import { useCacheInfo, useCacheSize, useDataCap } from '../../api/cache-queries.ts'
import { Trouble, Notice, Pending, Waiting, Card, StateLine } from '../../components/card.tsx'
import { t, tn, region } from '../../locales/translate.ts'
import { LaterCard } from './away/later-card.tsx'
import { CacheFrame } from './cache-page.tsx'
import { ClearCard } from './clear-card.tsx'
import { shownGame } from './games/entries.ts'
import { GateNote } from './gate-note.tsx'
import { GrowthCard } from '../../components/growth/growth-card.tsx'
import { JobsCard } from '../../components/jobs-card.tsx'
import { LeadFigures } from './lead-figures.tsx'
import { SizesCard } from './outlook/sizes-card.tsx'
import { ServicesCard } from './services-card.tsx'
import { SourcesCard } from './sources-card.tsx'
import { useGates } from './use-gates.ts'
import { useNow } from '../../app/clock.ts'
import { byteText, percentText, share, countText } from '../../format/numbers.ts'
import { sinceText, dayText, lagText } from '../../format/times.ts'
import { useEvictionOrder } from './outlook/queries.ts'
import { useSavings, useServerZone } from '../../api/queries.ts'
import { api, unwrap, keys } from '../../api/client.ts'
import { ScheduleLink } from '../../components/schedule-link.tsx'
import { Time } from '../../components/figures.tsx'
import { useIsScanning } from '../../app/use-jobs.ts'
import { Action } from '../../components/setting-controls.tsx'

const route = getRouteApi('/cache')

/** Contents of the cache, free space and the state of the index. */
export function Page() {
  const { days = 30 } = route.useSearch()
  const navigate = useNavigate()
  const { data: info, error } = useCacheInfo()
  return (
    <CacheFrame>
      {error !== null && info === undefined && (
        <div className="card mb-3.5">
          <Trouble error={error} className="py-10" />
        </div>
      )}
      <LeadFigures />
      <GateNote gates={useGates().all} consequence={t('cache.gated')} />
      <LaterCard />
      <JobsCard types={['cacheSizeScan', 'cacheClearing', 'gameRemoval', 'serviceRemoval']} />
      <div className="grid gap-3.5 lg:grid-cols-12">
        <GrowthCard
          days={days}
          onDays={(next) =>
            void navigate({ to: '/cache', search: { days: next }, resetScroll: false })
          }
          className="lg:col-span-8"
        />
        <ServicesCard />
        <SizesCard className="lg:col-span-8" />
        <EvictionCard />
        <VolumeCard />
        <SourcesCard />
        <ScanCard />
        <ClearCard />
      </div>
    </CacheFrame>
  )
}

/** Longer times are fortune-telling. */
const daysMax = 3650

function whenText(days: number | null): string {
  if (days === null) return '–'
  if (days > daysMax) return t('evictNext.never')
  const whole = Math.floor(days)
  return whole < 1 ? t('evictNext.soon') : tn('evictNext.inDays', whole)
}

/** Games whose files the proxy evicts next. */
function EvictionCard() {
  const { data, error } = useEvictionOrder()
  const now = useNow(60_000)
  return (
    <Card title={t('evictNext.title')} className="lg:col-span-4">
      {data === undefined && <Pending error={error} rows={5} />}
      {data !== undefined && data.games.length === 0 && (
        <Notice title={t('evictNext.none')}>{t('evictNext.noneText')}</Notice>
      )}
      {data !== undefined && data.games.length > 0 && (
        <>
          <ol className="divide-y divide-line">
            {data.games.slice(0, 7).map(({ key, name, bytes, lastUsedAt, inDays }) => (
              <li key={key} className="flex items-baseline gap-3 py-1.5">
                <div className="min-w-0 flex-1">
                  <p className="truncate" title={shownGame(name)}>
                    {shownGame(name)}
                  </p>
                  <p className="text-small text-dim">
                    {t('evictNext.used', { ago: sinceText(new Date(lastUsedAt), now) })}
                  </p>
                </div>
                <p className="figure shrink-0 text-right">
                  {byteText(bytes)}
                  <span className="block text-small text-dim">{whenText(inDays)}</span>
                </p>
              </li>
            ))}
          </ol>
          <p className="mt-2 text-small text-dim">
            {data.bytesPerDay !== null &&
              `${t(`evictNext.${data.basis ?? 'growth'}`, { bytes: byteText(data.bytesPerDay) })} `}
            {t('evictNext.restart')}
          </p>
        </>
      )}
    </Card>
  )
}

/** What the cache has used of the line's monthly volume; nothing until one is set. */
function VolumeCard() {
  const { data } = useDataCap()
  const price = useSavings().data
  const zone = useServerZone()
  const use = data?.use ?? null
  if (data === undefined || data.capBytes === null || use === null) return null
  const { usedBytes, expectedBytes, isReached, fromUtc, untilUtc } = use
  const percent = share(usedBytes, data.capBytes)
  const expected = expectedBytes === null ? null : share(expectedBytes, data.capBytes)
  const money = (bytes: number) =>
    price === undefined || price.pricePerGb === null
      ? ''
      : ` (${new Intl.NumberFormat(region(), { style: 'currency', currency: price.currency }).format((bytes / 1e9) * price.pricePerGb)})`
  const [from, until] = [dayText(new Date(fromUtc), zone), dayText(new Date(untilUtc), zone)]
  return (
    <Card
      title={t('volume.title')}
      note={t('volume.note', { from, until })}
      className="lg:col-span-12"
      action={
        <Link to="/settings/preferences" hash="line.volume" className="hover:text-text">
          {t('volume.change')} ›
        </Link>
      }
    >
      <p className="text-[15px] font-semibold">
        {t('volume.used', {
          used: `${byteText(usedBytes)}${money(usedBytes)}`,
          cap: byteText(data.capBytes),
          percent: percentText(percent),
        })}
      </p>
      <span aria-hidden="true" className="mt-2.5 flex h-1.5 overflow-hidden rounded-bar bg-raise">
        <span
          className={isReached ? 'bg-fetched' : 'bg-cache'}
          style={{ width: `${Math.min(100, percent)}%` }}
        />
      </span>
      <p className="mt-2 text-small text-dim">
        {expected !== null &&
          expectedBytes !== null &&
          `${t('volume.expected', {
            bytes: `${byteText(expectedBytes)}${money(expectedBytes)}`,
            percent: percentText(expected),
          })} `}
        {t('volume.others')}
      </p>
      {data.pausePercent !== null && (
        <p className="mt-2 text-[13px]">
          <StateLine tone={isReached ? 'attention' : 'quiet'}>
            {isReached
              ? t('volume.paused', { until })
              : t('volume.pauses', { percent: percentText(data.pausePercent) })}
          </StateLine>
        </p>
      )}
    </Card>
  )
}

/** The last size scan, with a button to run another. */
function ScanCard() {
  const now = useNow(15_000)
  const { data: info } = useCacheInfo()
  const { data: size, isPending } = useCacheSize()
  const isScanning = useIsScanning('cacheSizeScan')
  const facts =
    size === null || size === undefined
      ? []
      : [
          { name: t('scan.bytes'), value: byteText(size.totalBytes) },
          { name: t('scan.files'), value: countText(size.totalFiles) },
          { name: t('scan.folders'), value: countText(size.totalDirectories) },
          { name: t('scan.took'), value: lagText(size.scanDurationMs) },
        ]
  const isStale = info?.scanStale === true || size?.isStale === true
  return (
    <Card
      title={t('scan.title')}
      className="lg:col-span-4"
      stale={[keys.cache, keys.operations]}
      action={
        <Action
          className="h-8"
          label={t(isScanning ? 'scan.running' : 'scan.now')}
          run={() => unwrap(api.cache.size.get({ query: { force: true } }))}
          done={t('scan.started')}
          disabled={isScanning}
        />
      }
    >
      {isPending && <Waiting rows={3} />}
      {size === null && <Notice title={t('scan.none')}>{t('scan.noneText')}</Notice>}
      {size !== null && size !== undefined && (
        <>
          <p className="text-[13px]">
            <StateLine tone={isStale ? 'quiet' : 'good'}>
              <Time at={size.timestamp} now={now}>
                {t('scan.at', { ago: sinceText(new Date(size.timestamp), now) })}
              </Time>
              {isStale && <span className="block text-dim">{t('scan.stale')}</span>}
            </StateLine>
          </p>
          <dl className="mt-3 grid grid-cols-2 gap-x-6 gap-y-2.5">
            {facts.map(({ name, value }) => (
              <div key={name}>
                <dt className="text-small text-dim">{name}</dt>
                <dd className="figure">{value}</dd>
              </div>
            ))}
          </dl>
        </>
      )}
      <div className="mt-auto pt-3">
        <ScheduleLink of="cacheSizeScan" />
      </div>
    </Card>
  )
}
