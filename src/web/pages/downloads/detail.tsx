import { getRouteApi, Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import {
  useDownload,
  useClientNames,
  useIsAccount,
  useRead,
  type Download,
  type DownloadDetail,
} from '../../api/queries.ts'
import { api, keys } from '../../api/client.ts'
import { PageFrame } from '../../app/page-frame.tsx'
import { useNow } from '../../app/clock.ts'
import { Absent, isGone } from '../../components/absent.tsx'
import { Explain } from '../../components/explain.tsx'
import { Composition, Dot } from '../../components/figures.tsx'
import { TitlePencil } from '../../components/name-title.tsx'
import { Mark } from '../../components/artwork.tsx'
import { explain } from '../../components/totals.tsx'
import type { Explained } from '../../components/explained.ts'
import { Button } from '../../components/form-controls.tsx'
import { clientName, serviceName } from '../../format/services.ts'
import { byteText, countText, percentText, rateText, share } from '../../format/numbers.ts'
import { durationText, fullMomentText, lengthOf } from '../../format/times.ts'
import { t } from '../../locales/translate.ts'
import { gameOfDownload } from '../../app/game-address.ts'
import { LogCard } from './log-card.tsx'
import { DownloadEvents } from './download-events.tsx'

const route = getRouteApi('/downloads/$id')

export function Page() {
  const { id } = route.useParams()
  const { of } = route.useSearch()
  const number = /^\d{1,15}$/.test(id) ? Number(id) : 0
  const { data, error } = useDownload(number)
  const isAccount = useIsAccount()
  const download = data?.download
  const title =
    download === undefined
      ? t('download.title')
      : (download.gameName ?? serviceName(download.service))
  return (
    <PageFrame
      title={title}
      back={{
        to: '/downloads',
        label: t('nav.downloads'),
      }}
    >
      {of !== undefined && <Steps ids={of.split(',')} of={of} current={id} />}
      <div className="card p-5">
        {data === undefined || isGone(error) ? (
          <Absent error={error} title={t('download.gone')} text={t('download.goneText')} />
        ) : (
          <Facts download={data.download} title={title} events={data.events} />
        )}
      </div>
      {isAccount && download !== undefined && <LogCard key={download.id} download={download} />}
    </PageFrame>
  )
}

/** Steps through the sessions of a grouped row. */
function Steps({ ids, of, current }: { ids: readonly string[]; of: string; current: string }) {
  const at = ids.indexOf(current)
  const step = (offset: number, label: string, icon: ReactNode) => {
    const id = ids[at + offset]
    return id === undefined || at === -1 ? (
      <Button disabled aria-label={label} className="h-8 px-2">
        {icon}
      </Button>
    ) : (
      <Link
        to="/downloads/$id"
        params={{ id }}
        search={{ of }}
        aria-label={label}
        className="control h-8 px-2"
      >
        {icon}
      </Link>
    )
  }
  return (
    <nav aria-label={t('download.steps')} className="mb-3 flex items-center gap-2 text-[13px]">
      {step(-1, t('download.newer'), <ChevronLeft size={16} />)}
      <span className="figure text-dim">
        {t('download.step', { at: at + 1, count: ids.length })}
      </span>
      {step(1, t('download.older'), <ChevronRight size={16} />)}
      <Link to="/downloads/sessions" search={{ of }} className="link">
        {t('download.allSteps', { count: ids.length })}
      </Link>
    </nav>
  )
}

interface FactsProps {
  download: Download
  title: string
  events: DownloadDetail['events']
}

function Facts({ download, title, events }: FactsProps) {
  const names = useClientNames()
  const isAccount = useIsAccount()
  const start = new Date(download.startTimeUtc)
  const now = useNow(download.isActive ? 1000 : 60_000)
  const client = clientName(download.clientIp, null, names)
  const game = gameOfDownload(download)
  return (
    <>
      <div className="flex items-center gap-4">
        <Mark name={title} service={download.service} game={game} />
        <div className="min-w-0 flex-1">
          <p className="figure flex items-center gap-1 text-[24px] leading-8 font-bold tracking-tight">
            {byteText(download.totalBytes)}
            <Explain {...explain('download.totalBytes', t('column.bytes')).explained} />
          </p>
          <p className="flex items-center gap-1 text-small text-dim">
            {t('download.fromCache', {
              percent: percentText(share(download.cacheHitBytes, download.totalBytes)),
            })}
            <Explain {...explain('download.cacheHitPercent', t('column.percent')).explained} />
          </p>
        </div>
        {download.isActive && (
          <p className="flex items-center gap-2 text-[13px]">
            <Dot tone="good" pulsing />
            {t('download.active')}
          </p>
        )}
      </div>
      <Composition
        className="my-4"
        cached={download.cacheHitBytes}
        fetched={download.cacheMissBytes}
      />
      <dl className="grid gap-x-8 gap-y-3 sm:grid-cols-2">
        <Fact {...explain('download.cacheHitBytes', t('bytes.cached'))}>
          {byteText(download.cacheHitBytes)}
        </Fact>
        <Fact {...explain('download.cacheMissBytes', t('bytes.fetched'))}>
          {byteText(download.cacheMissBytes)}
        </Fact>
        <Fact name={t('column.client')}>
          {isAccount ? (
            <Link to="/clients/$ip" params={{ ip: download.clientIp }} className="link">
              {client}
            </Link>
          ) : (
            client
          )}
          {client !== download.clientIp && (
            <span className="text-dim">{` · ${download.clientIp}`}</span>
          )}
        </Fact>
        {game !== null && (
          <Fact name={t('column.title')}>
            <Link to="/games/$service/$id" params={game} className="link">
              {title}
            </Link>
          </Fact>
        )}
        <Fact name={t('column.service')}>
          <Link to="/services/$service" params={{ service: download.service }} className="link">
            {serviceName(download.service)}
          </Link>
        </Fact>
        <Fact name={t('download.start')}>{fullMomentText(start)}</Fact>
        <Fact name={t('download.end')}>
          {download.isActive ? t('time.now') : fullMomentText(new Date(download.endTimeUtc))}
        </Fact>
        <Fact {...explain('download.durationSeconds', t('download.duration'))}>
          {durationText(lengthOf(download, now))}
        </Fact>
        <Fact {...explain('download.averageBytesPerSecond', t('column.speed'))}>
          {rateText(download.averageBytesPerSecond)}
        </Fact>
        <Fact name={t('download.speedOf')} className="sm:col-span-2">
          <Speeds id={download.id} />
        </Fact>
        <Fact name={t('column.datasource')}>{download.datasource}</Fact>
        {download.depotId !== null && <Fact name={t('download.depot')}>{download.depotId}</Fact>}
        {download.gameName === null && download.titleKey !== null && (
          <Fact name={t('column.title')}>
            {t('downloads.untitled')} <TitlePencil titleKey={download.titleKey} />
          </Fact>
        )}
        {download.isEvicted && <Fact name={t('download.state')}>{t('downloads.evicted')}</Fact>}
        <Fact name={t('download.events')}>
          <DownloadEvents downloadId={download.id} events={events} />
        </Fact>
        {download.lastUrl !== null && download.lastUrl !== '' && (
          <Fact name={t('download.lastUrl')} className="sm:col-span-2">
            <code className="text-small break-all">{download.lastUrl}</code>
          </Fact>
        )}
      </dl>
    </>
  )
}

/** Its mean speed beside the best of its client and of the cache. */
function Speeds({ id }: { id: number }) {
  const { data } = useRead(
    [...keys.downloadLog, 'speeds', id],
    api.ext.downloads({ id }).speeds.get,
  )
  if (data === undefined) return <span className="skeleton block h-5 w-60" />
  const { bytesPerSecond, client, cache } = data
  const line = (best: typeof client, key: 'download.speedClient' | 'download.speedCache') => (
    <span className="block">
      {t(key, {
        percent: percentText(share(bytesPerSecond, best.bytesPerSecond)),
        count: countText(best.downloads),
        speed: rateText(best.bytesPerSecond),
      })}
    </span>
  )
  if (bytesPerSecond === 0 || cache.bytesPerSecond === 0) {
    return <span className="text-dim">{t('download.speedNone')}</span>
  }
  return (
    <>
      {client.downloads > 1 && line(client, 'download.speedClient')}
      {line(cache, 'download.speedCache')}
    </>
  )
}

interface FactProps {
  name: string
  explained?: Explained
  className?: string
  children: ReactNode
}

const Fact = ({ name, explained, className, children }: FactProps) => (
  <div className={clsx('min-w-0', className)}>
    <dt className="flex items-center gap-1 text-small text-dim">
      {name}
      {explained !== undefined && <Explain {...explained} />}
    </dt>
    <dd className="figure wrap-anywhere">{children}</dd>
  </div>
)
