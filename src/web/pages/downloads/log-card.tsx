import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api, unwrap, keys } from '../../api/client.ts'
import { type Download, useRead } from '../../api/queries.ts'
import { Button } from '../../components/form-controls.tsx'
import { Card, Notice, Pending } from '../../components/card.tsx'
import { byteText, countText, percentText, rateText } from '../../format/numbers.ts'
import { fullMomentText, periodText } from '../../format/times.ts'
import { t, tn, type Key } from '../../locales/translate.ts'
import { useNow } from '../../app/clock.ts'
import { limitTexts, type Bottleneck } from '../../components/downloads/limit-texts.ts'
import { Facts, type Fact } from '../../components/figures.tsx'

const readLog = async (id: number, signal: AbortSignal) =>
  unwrap(api.ext.downloads({ id }).log.get({ fetch: { signal } }))
type DownloadLog = Awaited<ReturnType<typeof readLog>>
type Cause = DownloadLog['causes'][number]['cause']

const causeLabels: Record<Cause, [label: Key, text: Key]> = {
  first: ['miss.first', 'miss.firstText'],
  gone: ['miss.gone', 'miss.goneText'],
  again: ['miss.again', 'miss.againText'],
  together: ['miss.together', 'miss.togetherText'],
  expired: ['miss.expired', 'miss.expiredText'],
  bypassed: ['miss.bypassed', 'miss.bypassedText'],
  range: ['miss.range', 'miss.rangeText'],
  unknown: ['miss.unknown', 'miss.unknownText'],
}

/** What the log says about a download, read when somebody asks. */
export function LogCard({ download }: { download: Download }) {
  const [isAsked, setIsAsked] = useState(false)
  const { data, error } = useQuery({
    queryKey: [...keys.downloadLog, 'log', download.id],
    queryFn: ({ signal }) => readLog(download.id, signal),
    enabled: isAsked,
    staleTime: Number.POSITIVE_INFINITY,
  })
  return (
    <Card title={t('download.log')} note={t('download.logNote')} className="mt-3">
      {!isAsked && (
        <div className="flex flex-wrap items-center gap-3">
          <Button onClick={() => setIsAsked(true)}>{t('download.readLog')}</Button>
          <p className="text-small text-dim">{t('download.readLogText')}</p>
        </div>
      )}
      {isAsked && <Limit id={download.id} />}
      {isAsked && data === undefined && <Pending error={error} rows={3} />}
      {data !== undefined && <Found log={data} />}
    </Card>
  )
}

function Found({ log }: { log: DownloadLog }) {
  const { hits, misses, failed, readFromUtc, problem, linesRead } = log
  const read = t('download.logRead', {
    lines: tn('download.logLines', linesRead),
    since: readFromUtc === null ? '–' : fullMomentText(new Date(readFromUtc)),
  })
  if (hits + misses + failed === 0) {
    return (
      <Notice title={t('download.logNone')}>
        {problem ?? `${t('download.logNoneText')} ${read}`}
      </Notice>
    )
  }
  return (
    <div className="space-y-4">
      <Course log={log} />
      {misses > 0 && <Causes log={log} />}
      {log.samples.length > 0 && <Samples samples={log.samples} />}
      <details>
        <summary className="cursor-pointer py-1 text-[13px]">{t('download.lines')}</summary>
        {/* Scrolls sideways, so that keyboards must reach it. */}
        <pre
          tabIndex={0}
          aria-label={t('download.lines')}
          className="mt-2 max-h-[280px] overflow-auto rounded-control bg-raise p-3 text-tiny leading-5"
        >
          {log.lines.join('\n')}
        </pre>
      </details>
      <p className="text-small text-dim">
        {problem !== null && `${problem}. `}
        {read}
      </p>
    </div>
  )
}

/** Bytes from the cache and from the internet over the download's time. */
function Course({ log: { points, secondsPerPoint, hits, misses, failed } }: { log: DownloadLog }) {
  const most = Math.max(1, ...points.map(({ hitBytes, missBytes }) => hitBytes + missBytes))
  const summary = [
    tn('download.hits', hits),
    tn('download.misses', misses),
    ...(failed > 0 ? [tn('download.failures', failed)] : []),
  ].join(' · ')
  return (
    <figure>
      <div
        role="img"
        aria-label={t('download.course', { summary })}
        className="flex h-16 items-end gap-px"
      >
        {points.map(({ hitBytes, missBytes }, index) => (
          <span
            // oxlint-disable-next-line react/no-array-index-key -- points keep their places
            key={index}
            title={t('download.point', {
              seconds: countText(index * secondsPerPoint),
              cached: byteText(hitBytes),
              fetched: byteText(missBytes),
            })}
            className="flex h-full min-w-0 flex-1 flex-col justify-end"
          >
            <span
              className="bg-fetched opacity-75"
              style={{ height: `${(missBytes / most) * 100}%` }}
            />
            <span className="bg-cache" style={{ height: `${(hitBytes / most) * 100}%` }} />
          </span>
        ))}
      </div>
      <figcaption className="figure mt-1.5 text-small text-dim">{summary}</figcaption>
    </figure>
  )
}

/** Why it missed, each reason with the number of requests. */
const Causes = ({ log: { causes, examined, misses } }: { log: DownloadLog }) => (
  <div>
    <h3 className="mb-1 text-[13px] font-medium">{t('download.causes')}</h3>
    <dl className="divide-y divide-line">
      {causes.map(({ cause, misses: count }) => (
        <div key={cause} className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 py-2">
          <dt className="text-[13px]">{t(causeLabels[cause][0])}</dt>
          <dd className="figure row-span-2 self-center">{countText(count)}</dd>
          <dd className="text-small text-dim">{t(causeLabels[cause][1])}</dd>
        </div>
      ))}
    </dl>
    {examined < misses && (
      <p className="text-small text-dim">
        {t('download.examined', { count: countText(examined), total: countText(misses) })}
      </p>
    )}
  </div>
)

/** Some of the missed objects. */
const Samples = ({ samples }: Pick<DownloadLog, 'samples'>) => (
  <details>
    <summary className="cursor-pointer py-1 text-[13px]">{t('download.samples')}</summary>
    <ul className="mt-1 divide-y divide-line">
      {samples.map(({ path, sliceStart, atUtc, bytes, cause, requestedBeforeUtc }) => (
        <li key={`${path} ${sliceStart} ${atUtc}`} className="py-2 text-small">
          <Link
            to="/cache/integrity"
            search={{ view: 'object', url: path }}
            className="font-mono break-all hover:underline"
          >
            {path}
          </Link>
          <span className="figure block text-dim">
            {[
              fullMomentText(new Date(atUtc)),
              ...(sliceStart === null || sliceStart === 0
                ? []
                : [t('miss.at', { bytes: byteText(sliceStart) })]),
              byteText(bytes),
              t(causeLabels[cause][0]),
              ...(requestedBeforeUtc === null
                ? []
                : [t('miss.before', { at: fullMomentText(new Date(requestedBeforeUtc)) })]),
            ].join(' · ')}
          </span>
        </li>
      ))}
    </ul>
  </details>
)

const minuteMs = 60_000

const reasonTexts: Record<NonNullable<Bottleneck['reason']>, Key> = {
  notInLog: 'limit.notInLogText',
  short: 'limit.shortText',
  alone: 'limit.aloneText',
}

const rate = (key: Key, bytesPerSecond: number | null | undefined): Fact => [
  t(key),
  bytesPerSecond === null || bytesPerSecond === undefined || bytesPerSecond === 0
    ? null
    : rateText(bytesPerSecond),
]

/** The figures that the verdict rests on. */
function factsOf(limit: Bottleneck): Fact[] {
  const { own, otherClient, otherTitle, disk } = limit
  const value = t('limit.ownValue', {
    speed: rateText(own.bytesPerSecond),
    seconds: countText(Math.round(limit.seconds)),
    percent: percentText(limit.internetShare * 100),
  })
  return [
    [t('limit.own'), value],
    [
      t('limit.connections'),
      own.connections === null ? null : countText(Math.round(own.connections * 10) / 10),
    ],
    ...(limit.side === 'internet'
      ? [
          rate('limit.otherTitle', otherTitle?.bytesPerSecond),
          rate('limit.allInternet', limit.internetBytesPerSecond),
          rate('limit.line', limit.lineBytesPerSecond),
        ]
      : [
          rate('limit.otherClient', otherClient?.bytesPerSecond),
          rate('limit.clientBest', limit.clientBestBytesPerSecond),
          rate('limit.best', limit.bestCacheBytesPerSecond),
        ]),
    [t('limit.disk'), typeof disk?.busy === 'number' ? percentText(disk.busy * 100) : null],
  ]
}

/** What limited the speed of a download, with the figures that say so. */
export function Limit({ id }: { id: number }) {
  const { data, error } = useRead(
    [...keys.downloadLog, 'limit', id],
    api.ext.downloads({ id }).bottleneck.get,
    { staleTime: Number.POSITIVE_INFINITY },
  )
  const now = useNow(60_000)
  if (data === undefined) return <Pending error={error} rows={2} />
  const { verdict, reason, requests, hasRequestTimes, fromUtc, toUtc } = data
  const [from, to] = [new Date(fromUtc), new Date(toUtc)]
  const [label, text] = limitTexts[verdict]
  return (
    <section className="mb-4">
      <h3 className="text-small text-dim">{t('limit.title')}</h3>
      <p className="font-medium">{t(label)}</p>
      <p className="mb-3 max-w-[70ch] text-[13px] text-dim">
        {t(reason === null ? text : reasonTexts[reason])}
      </p>
      {requests > 0 && (
        <>
          <Facts facts={factsOf(data)} />
          <p className="-mt-2 max-w-[70ch] text-small text-dim">
            {to.getTime() - from.getTime() > minuteMs &&
              t('limit.period', { period: periodText(from, to, now) })}{' '}
            {!hasRequestTimes && t('limit.noTimes')}
          </p>
        </>
      )}
    </section>
  )
}
