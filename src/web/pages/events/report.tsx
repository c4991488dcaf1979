import { clsx } from 'clsx'
import type { ReactNode } from 'react'
import type { EventFigures, EventReport } from '../../../dashboard/event-report/model.ts'
import { api, keys } from '../../api/client.ts'
import { useRead } from '../../api/queries.ts'
import { lengthText, spanText } from '../../app/events/times.ts'
import { savedWith } from '../../app/savings.ts'
import { Artwork } from '../../components/artwork.tsx'
import { Button } from '../../components/form-controls.tsx'
import { Card, Notice } from '../../components/card.tsx'
import { HueDot } from '../../components/events/hue.tsx'
import { Composition, Figure, Named } from '../../components/figures.tsx'
import { FlowCard } from '../../components/flow/flow-card.tsx'
import { moneyAmount, timeAmount } from '../../format/converted.ts'
import {
  byteAmount,
  byteText,
  changeText,
  countText,
  percentText,
  rateText,
  share,
  type Amount,
} from '../../format/numbers.ts'
import { serviceName } from '../../format/services.ts'
import { momentText } from '../../format/times.ts'
import { t, tn, type Key } from '../../locales/translate.ts'

const minuteMs = 60_000

/** The report of an event, for the reader's session or its link; it grows while the event lasts. */
export const useReport = (id: number, link: { headers?: Record<string, string> } = {}) =>
  useRead(
    [...keys.events, 'report', id],
    (asking) => api.ext.events({ id }).report.get({ ...link, ...asking }),
    {
      enabled: id > 0,
      refetchInterval: ({ state }) =>
        state.data !== undefined && new Date(state.data.endTimeUtc) > new Date() && minuteMs,
    },
  )

interface ReportProps {
  report: EventReport
  /** The page around it has the name and the buttons; paper has neither. */
  isInPage?: boolean
}

/** What an event's traffic came to: on the screen, for people with a link, and on paper. */
export function Report({ report, isInPage = false }: ReportProps) {
  const now = new Date(report.createdAtUtc)
  const { totals, previous } = report
  return (
    <article className="report mx-auto max-w-[980px]">
      <header
        className={clsx(
          'mb-4 flex-wrap items-start gap-x-6 gap-y-2 print:flex',
          isInPage ? 'hidden' : 'flex',
        )}
      >
        <div className="min-w-0">
          <h1 className="flex items-center gap-3 text-[26px] leading-8 font-bold tracking-tight">
            <HueDot index={report.colorIndex} className="size-3" />
            {report.name}
          </h1>
          <p className="figure mt-1 text-dim">
            {spanText(report, now)} · {lengthText(report)}
          </p>
        </div>
        <Button className="sm:ml-auto print:hidden" onClick={() => globalThis.print()}>
          {t('report.print')}
        </Button>
      </header>
      {totals.servedBytes === 0 ? (
        <div className="card">
          <Notice title={t('report.empty')} className="py-16">
            {t('report.emptyText')}
          </Notice>
        </div>
      ) : (
        <div className="space-y-3.5">
          <Lead report={report} />
          <FlowCard title={t('report.course')} traffic={report} />
          <div className="grid gap-3.5 lg:grid-cols-2 print:grid-cols-2">
            <Games report={report} />
            <Devices report={report} />
          </div>
          {previous !== null && <Comparison report={report} previous={previous} now={now} />}
        </div>
      )}
      <p className="mt-4 text-small text-dim">
        {t('report.made', { time: momentText(now, new Date(0)) })}
      </p>
    </article>
  )
}

/** Saved bytes, what they would have cost, and the other figures. */
function Lead({ report }: { report: EventReport }) {
  const { totals, savings, busiest } = report
  const { seconds, money } = savedWith(totals.hitBytes, savings)
  return (
    <section aria-label={t('events.totals')} className="card px-5 py-5">
      <div className="flex flex-wrap items-end gap-x-12 gap-y-4">
        <Saved name={t('report.saved')} amount={byteAmount(totals.hitBytes)} isLarge />
        {seconds !== null && (
          <Saved
            name={t('report.time', { speed: countText(savings.lineMbitPerSecond ?? 0) })}
            amount={timeAmount(seconds)}
          />
        )}
        {money !== null && (
          <Saved name={t('report.money')} amount={moneyAmount(money, savings.currency)} />
        )}
      </div>
      <p className="mt-4 mb-2 text-dim">
        {t('report.share', {
          percent: percentText(totals.cacheHitRatio * 100),
          served: byteText(totals.servedBytes),
        })}
      </p>
      <Composition cached={totals.hitBytes} fetched={totals.missBytes} className="h-2.5" />
      <dl className="mt-5 grid grid-cols-2 gap-x-6 gap-y-4 sm:grid-cols-3 lg:grid-cols-6 print:grid-cols-6">
        <Fact name={t('compare.metric.misses')}>{byteText(totals.missBytes)}</Fact>
        <Fact name={t('compare.ratio')}>{percentText(totals.cacheHitRatio * 100)}</Fact>
        <Fact name={t('nav.downloads')}>{countText(totals.downloads)}</Fact>
        <Fact name={t('report.devices')}>{countText(totals.clients)}</Fact>
        <Fact name={t('nav.games')}>{countText(totals.games)}</Fact>
        {busiest !== null && (
          <Fact name={t(busiestName(busiest))}>
            {busiestText(busiest)}
            <span className="block text-small font-normal text-dim">
              {momentText(new Date(busiest.startTimeUtc), new Date(report.startTimeUtc))}
            </span>
          </Fact>
        )}
      </dl>
    </section>
  )
}

type Busiest = NonNullable<EventFigures['busiest']>

const busiestName = ({ minutes }: Busiest): Key =>
  minutes === 1 ? 'report.bestMinute' : minutes === 5 ? 'report.bestMinutes' : 'report.bestHour'

const busiestText = ({ servedBytes, minutes }: Busiest): string =>
  rateText(servedBytes / (60 * minutes))

interface SavedProps {
  name: string
  amount: Amount
  isLarge?: boolean
}

const Saved = ({ name, amount, isLarge = false }: SavedProps) => (
  <div>
    <p className="text-small text-dim">{name}</p>
    <Figure
      amount={amount}
      className={
        isLarge
          ? 'text-[44px] leading-[1.15] font-bold tracking-tight text-cache'
          : 'text-[26px] leading-[1.4] font-bold tracking-tight'
      }
    />
  </div>
)

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <dt className="text-small text-dim">{name}</dt>
    <dd className="figure text-[16px] font-semibold">{children}</dd>
  </div>
)

interface RowProps {
  hitBytes: number
  missBytes: number
  /** Bytes of the first row. */
  most: number
}

/** The right side of a row: amount, and how much of it came from the cache. */
const Amounts = ({ hitBytes, missBytes, most }: RowProps) => (
  <span className="w-[112px] flex-none text-right sm:w-[150px]">
    <Figure amount={byteAmount(hitBytes + missBytes)} />
    <span className="figure ml-2 inline-block w-[42px] text-small text-dim">
      {percentText(Math.round(share(hitBytes, hitBytes + missBytes)))}
    </span>
    <Composition cached={hitBytes} fetched={missBytes} whole={most} className="mt-1" />
  </span>
)

const rowClass = 'flex items-center gap-3 py-2'

function Games({ report: { topGames } }: { report: EventReport }) {
  const most = topGames[0]?.servedBytes ?? 0
  return (
    <Card title={t('report.games')} note={t('games.note')}>
      {topGames.length === 0 && <Notice title={t('events.noGames')} />}
      <ol className="divide-y divide-line">
        {topGames.map(({ service, gameId, gameName, downloads, hitBytes, missBytes }) => {
          const name = gameName ?? serviceName(service)
          return (
            <li key={`${service} ${gameId}`} className={rowClass}>
              <Artwork
                name={name}
                service={service}
                game={{ service, id: gameId }}
                className="h-[36px] w-[77px] flex-none rounded-mark"
              />
              <span className="min-w-0 flex-1">
                <Named name={name} note={tn('count.downloads', downloads)} />
              </span>
              <Amounts hitBytes={hitBytes} missBytes={missBytes} most={most} />
            </li>
          )
        })}
      </ol>
    </Card>
  )
}

function Devices({ report: { topDevices } }: { report: EventReport }) {
  const most = topDevices[0]?.servedBytes ?? 0
  return (
    <Card title={t('report.devices')} note={t('games.note')}>
      {topDevices.length === 0 && <Notice title={t('events.noClients')} />}
      <ol className="divide-y divide-line">
        {topDevices.map(({ name, address, downloads, hitBytes, missBytes }, place) => {
          const shown = name ?? address ?? t('report.device', { number: place + 1 })
          return (
            <li key={`${place} ${shown}`} className={`${rowClass} min-h-[53px]`}>
              <span className="figure w-5 flex-none text-right text-dim">{place + 1}</span>
              <span className="min-w-0 flex-1">
                <Named name={shown} note={tn('count.downloads', downloads)} />
              </span>
              <Amounts hitBytes={hitBytes} missBytes={missBytes} most={most} />
            </li>
          )
        })}
      </ol>
    </Card>
  )
}

interface ComparisonProps {
  report: EventFigures
  previous: EventFigures
  now: Date
}

interface Line {
  name: string
  text: (event: EventFigures) => string
  /** For the change in percent. */
  amount?: (event: EventFigures) => number
}

const bytesLine = (name: Key, amount: (event: EventFigures) => number): Line => ({
  name: t(name),
  text: (event) => byteText(amount(event)),
  amount,
})

const countLine = (name: Key, amount: (event: EventFigures) => number): Line => ({
  name: t(name),
  text: (event) => countText(amount(event)),
  amount,
})

const perMinute = ({ busiest }: EventFigures): number =>
  busiest === null ? 0 : busiest.servedBytes / busiest.minutes

const linesOf = (): Line[] => [
  { name: t('events.length'), text: lengthText },
  bytesLine('compare.metric.served', ({ totals }) => totals.servedBytes),
  bytesLine('report.saved', ({ totals }) => totals.hitBytes),
  bytesLine('compare.metric.misses', ({ totals }) => totals.missBytes),
  { name: t('compare.ratio'), text: ({ totals }) => percentText(totals.cacheHitRatio * 100) },
  countLine('nav.downloads', ({ totals }) => totals.downloads),
  countLine('report.devices', ({ totals }) => totals.clients),
  countLine('nav.games', ({ totals }) => totals.games),
  {
    name: t('report.bestMinute'),
    text: ({ busiest }) => (busiest === null ? '–' : busiestText(busiest)),
    amount: perMinute,
  },
]

/** The same figures of the event before. */
function Comparison({ report, previous, now }: ComparisonProps) {
  const change = ({ amount }: Line) => {
    const before = amount?.(previous) ?? 0
    return amount === undefined || before === 0
      ? ''
      : changeText(((amount(report) - before) / before) * 100)
  }
  return (
    <Card title={t('report.before', { name: previous.name })} note={spanText(previous, now)}>
      <table className="figure w-full text-right">
        <thead>
          <tr className="border-b border-line text-small text-dim">
            <th scope="col" className="pb-2 text-left font-normal">
              {t('compare.figure')}
            </th>
            <th scope="col" className="pb-2 pl-3 font-normal">
              {t('report.this')}
            </th>
            <th scope="col" className="pb-2 pl-3 font-normal">
              {t('report.last')}
            </th>
            <th scope="col" className="pb-2 pl-3 font-normal">
              {t('report.change')}
            </th>
          </tr>
        </thead>
        <tbody>
          {linesOf().map((line) => (
            <tr key={line.name} className="border-b border-line last:border-b-0">
              <th scope="row" className="py-1.5 text-left font-normal">
                {line.name}
              </th>
              <td className="py-1.5 pl-3 font-semibold">{line.text(report)}</td>
              <td className="py-1.5 pl-3">{line.text(previous)}</td>
              <td className="py-1.5 pl-3 text-dim">{change(line)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  )
}
