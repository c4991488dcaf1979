import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useCallback, type ReactNode } from 'react'
import {
  useAddresses,
  useClientReport,
  useExclusions,
  useHostnames,
} from '../../api/client-queries.ts'
import { useIsAccount } from '../../api/queries.ts'
import { Refusal } from '../../api/refusal.ts'
import { PageFrame } from '../../app/page-frame.tsx'
import { RangePicker } from '../../app/range-picker.tsx'
import { readRange, writeRange, type Range } from '../../app/range.ts'
import { downloadsSearch, type DownloadsSearch } from '../../app/search-state.ts'
import { useNow } from '../../app/use-now.ts'
import { ByteBars } from '../../components/byte-bars.tsx'
import { Card } from '../../components/card.tsx'
import { Explain } from '../../components/explain.tsx'
import type { Explained } from '../../components/explained.ts'
import { Figure } from '../../components/figures.tsx'
import { FlowLegend } from '../../components/flow/flow-legend.tsx'
import { HourStrip } from '../../components/hour-strip.tsx'
import { Notice, NoticeCard, Pending } from '../../components/notice.tsx'
import { Total, Totals } from '../../components/totals.tsx'
import { Time } from '../../components/time.tsx'
import { byteAmount, byteText, countText, percentText, rateAmount } from '../../format/numbers.ts'
import { agoText, durationText } from '../../format/times.ts'
import { useSpeeds } from '../../live/store.ts'
import { t } from '../../locales/translate.ts'
import { DownloadsList } from '../downloads/list.tsx'
import { GamesCard } from './games-card.tsx'
import { IdentityCard } from './identity-card.tsx'
import { standingsOf } from './standing.ts'
import { shortName } from './tree.ts'

const route = getRouteApi('/clients/$ip')
type Report = ReturnType<typeof useClientReport>

const numbers = {
  bytes: 'client.period.totalBytes',
  downloads: 'client.period.totalDownloads',
  ratio: 'client.period.cacheHitPercent',
} as const
const columns =
  'mb-3 grid grid-cols-[minmax(0,1fr)] gap-3 lg:grid-cols-[minmax(0,1.7fr)_minmax(0,1fr)]'

const isNoAddress = (error: Error | null): boolean =>
  error instanceof Refusal && error.status === 400

/** One client: identity, current and past traffic, games and downloads. */
export function Page() {
  const { ip } = route.useParams()
  const search = route.useSearch()
  const navigate = useNavigate()
  const isAccount = useIsAccount()
  const range = readRange(search)
  const report = useClientReport(ip)
  const hostname = useHostnames().data?.hostnames[ip] ?? report.data?.hostname ?? null
  const name = shortName(hostname ?? undefined) ?? ip
  const nickname = report.data?.group?.nickname
  const change = useCallback(
    (part: Partial<DownloadsSearch>) => {
      const next = downloadsSearch({ ...search, page: undefined, ...part })
      void navigate({ to: '/clients/$ip', params: { ip }, search: next, resetScroll: false })
    },
    [navigate, search, ip],
  )
  return (
    <PageFrame
      title={nickname === undefined ? name : `${name} · ${nickname}`}
      back={{ to: '/clients', search: writeRange(range), label: t('nav.clients') }}
      tools={<RangePicker value={range} onChange={(next) => change(writeRange(next))} />}
    >
      {!isAccount ? (
        <Alone title={t('trouble.forbidden')}>{t('trouble.forbiddenText')}</Alone>
      ) : isNoAddress(report.error) ? (
        <Alone title={t('client.noAddress')}>{t('client.noAddressText')}</Alone>
      ) : report.data === null ? (
        <div className={columns}>
          <Unknown ip={ip} />
          <IdentityCard ip={ip} name={name} hostname={hostname} />
        </div>
      ) : (
        <>
          <RangeTotals ip={ip} range={range} report={report} />
          <div className={columns}>
            <Traffic report={report} />
            <IdentityCard ip={ip} name={name} hostname={hostname} />
            <GamesCard ip={ip} range={range} />
            <div className="flex min-w-0 flex-col gap-3">
              <Hours report={report} />
              <AllTime report={report} />
            </div>
          </div>
          <DownloadsList search={search} fixed={{ client: ip }} onChange={change} />
        </>
      )}
    </PageFrame>
  )
}

function Alone({ title, children }: { title: string; children: string }) {
  return (
    <NoticeCard tone="attention" title={title}>
      {children}
    </NoticeCard>
  )
}

/** Shown for clients without downloads and for hidden ones. */
function Unknown({ ip }: { ip: string }) {
  const rules = useExclusions().data?.rules
  const isHidden = standingsOf(rules ?? []).get(ip) === 'hide'
  return (
    <div className="card flex">
      <Notice title={t(isHidden ? 'client.hidden' : 'client.none')} className="flex-1 py-16">
        {t(isHidden ? 'client.hiddenText' : 'client.noneText')}
      </Notice>
    </div>
  )
}

/** Figures of the range, and when the client was first and last seen. */
function RangeTotals({ ip, range, report }: { ip: string; range: Range; report: Report }) {
  const { data, error } = useAddresses(range)
  const speed = useSpeeds()?.clientSpeeds.find(({ clientIp }) => clientIp === ip)
  const now = useNow(15_000)
  const stats = data?.find(({ clientIp }) => clientIp === ip)
  if (data === undefined) {
    return (
      <div className="card mb-3 p-5">
        <Pending error={error} rows={1} />
      </div>
    )
  }
  const last = report.data?.lastSeenUtc
  return (
    <Totals
      label={t('client.totals')}
      cached={stats?.totalCacheHitBytes ?? 0}
      fetched={stats?.totalCacheMissBytes ?? 0}
      downloads={stats?.totalDownloads ?? 0}
      // Clients without downloads have no figures to explain.
      {...(last === undefined ? {} : { explained: { range }, numbers })}
    >
      <Total name={t('lead.now')}>
        <Figure amount={rateAmount(speed?.bytesPerSecond ?? 0)} className="live-figure" />
      </Total>
      {last !== undefined && (
        <Total
          name={t('client.last')}
          explained={{ number: 'client.lastSeenUtc', name: t('client.last') }}
        >
          <Time at={last} now={now} text={agoText} />
        </Total>
      )}
    </Totals>
  )
}

function Traffic({ report }: { report: Report }) {
  const { data, error } = report
  const title = t('client.traffic')
  if (data === undefined || data === null) {
    return (
      <Card title={title}>
        <Pending error={error} rows={4} />
      </Card>
    )
  }
  const { bucketMinutes, series } = data.recent
  const spans = series.map(({ startTimeUtc, hitBytes, missBytes }) => ({
    at: new Date(startTimeUtc),
    cached: hitBytes,
    fetched: missBytes,
  }))
  return (
    <Card
      title={title}
      note={t('client.trafficNote', { time: durationText(bucketMinutes * 60) })}
      action={
        <div className="-mt-2">
          <FlowLegend series={[[], [], []]} index={null} />
        </div>
      }
    >
      {spans.length === 0 ? (
        <Notice title={t('client.noRecent')} className="flex-1" />
      ) : (
        <ByteBars spans={spans} minutes={bucketMinutes} label={title} />
      )}
    </Card>
  )
}

/** The hours of the day in which this client downloads, over all time. */
function Hours({ report: { data, error } }: { report: Report }) {
  const hours = data?.hoursOfDay ?? []
  const peak = hours.toSorted((a, b) => b.servedBytes - a.servedBytes)[0]
  const isEmpty = peak === undefined || peak.servedBytes === 0
  const zone = data?.timeZone
  const isForeign =
    zone !== undefined && zone !== new Intl.DateTimeFormat().resolvedOptions().timeZone
  return (
    <Card
      title={t('client.hours')}
      note={isForeign ? t('client.hoursZone', { zone }) : t('client.hoursNote')}
    >
      {data === undefined && <Pending error={error} rows={1} />}
      {data !== undefined && isEmpty && <Notice title={t('hours.none')} className="py-3" />}
      {data !== undefined && !isEmpty && (
        <>
          <HourStrip hours={hours.map(({ hour, servedBytes }) => ({ hour, bytes: servedBytes }))} />
          <p className="mt-2 text-small text-dim">
            {t('client.hoursPeak', {
              from: peak.hour,
              to: (peak.hour + 1) % 24,
              bytes: byteText(peak.servedBytes),
            })}
          </p>
        </>
      )}
    </Card>
  )
}

/** Figures independent of the range. */
function AllTime({ report: { data } }: { report: Report }) {
  const now = useNow(60_000)
  if (data === null || data === undefined) return null
  const { totals, firstSeenUtc, games, averageBytesPerSecond } = data
  const explain = (number: Explained['number']) => ({ number })
  return (
    <Card title={t('client.allTime')} className="flex-1">
      <dl className="grid grid-cols-2 gap-x-6 gap-y-3">
        <Fact name={t('column.bytes')} explained={explain('client.servedBytes')}>
          <Figure amount={byteAmount(totals.servedBytes)} />
        </Fact>
        <Fact name={t('clients.rate')} explained={explain('client.cacheHitRatio')}>
          {percentText(totals.cacheHitRatio * 100)}
        </Fact>
        <Fact name={t('clients.downloads')} explained={explain('client.downloads')}>
          {countText(totals.downloads)}
        </Fact>
        <Fact name={t('client.games')} explained={explain('client.games')}>
          {countText(games)}
        </Fact>
        <Fact name={t('client.speed')} explained={explain('client.averageBytesPerSecond')}>
          <Figure amount={rateAmount(averageBytesPerSecond)} />
        </Fact>
        <Fact name={t('client.first')} explained={explain('client.firstSeenUtc')}>
          <Time at={firstSeenUtc} now={now} />
        </Fact>
      </dl>
    </Card>
  )
}

interface FactProps {
  name: string
  explained: Pick<Explained, 'number'>
  children: ReactNode
}

function Fact({ name, explained, children }: FactProps) {
  return (
    <div>
      <dt className="flex items-center gap-1 text-small text-dim">
        {name}
        <Explain {...explained} name={name} />
      </dt>
      <dd className="figure">{children}</dd>
    </div>
  )
}
