import { api, keys } from '../../api/client.ts'
import { useRead } from '../../api/queries.ts'
import { useNow } from '../../app/use-now.ts'
import { limitTexts, type Bottleneck } from '../../components/downloads/limit-texts.ts'
import { Facts, type Fact } from '../../components/facts.tsx'
import { Pending } from '../../components/notice.tsx'
import { countText, percentText, rateText } from '../../format/numbers.ts'
import { periodText } from '../../format/times.ts'
import { t, type Key } from '../../locales/translate.ts'

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
