import { keepPreviousData } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { ComparedEvent } from '../../../downloads/compare/model.ts'
import { api, keys } from '../../api/client.ts'
import { useEvents } from '../../api/event-queries.ts'
import { useRead } from '../../api/queries.ts'
import { PageFrame } from '../../app/page-frame.tsx'
import { useNow } from '../../app/clock.ts'
import { Card, NoticeCard, Trouble } from '../../components/card.tsx'
import { Explain } from '../../components/explain.tsx'
import type { Explained } from '../../components/explained.ts'
import { Composition } from '../../components/figures.tsx'
import { LinesChart, type Line } from '../../components/flow/lines-chart.tsx'
import { Popover } from '../../components/popover.tsx'
import { Segments, optionsOf } from '../../components/form-controls.tsx'
import { byteText, countText, percentText } from '../../format/numbers.ts'
import { serviceName } from '../../format/services.ts'
import { durationText, elapsedText } from '../../format/times.ts'
import { t, type Key } from '../../locales/translate.ts'
import { EventLabel } from '../../components/events/event-label.tsx'
import { HueDot } from '../../components/events/hue.tsx'
import { withOwnHues } from './own-hues.ts'
import { comparedMax, idsOf, metrics, type Metric } from '../../app/events/search.ts'
import { orderEvents } from '../../app/events/state.ts'
import { spanText } from '../../app/events/times.ts'

const route = getRouteApi('/events/compare')
/** The minimum for a comparison. */
const comparedMin = 2

/** Dash patterns distinguish lines of one colour. */
const dashes = ['', '7 4', '2 4', '10 4 2 4', '14 5', '4 8'] as const

const bytesOf = (point: ComparedEvent['series'][number], metric: Metric): number =>
  metric === 'served' ? point.servedBytes : metric === 'hits' ? point.hitBytes : point.missBytes

const useComparison = (ids: readonly number[]) =>
  useRead(
    [...keys.events, 'compare', ids],
    (asking) => api.ext.events.compare.get({ query: { ids: ids.join(',') }, ...asking }),
    { enabled: ids.length >= comparedMin, placeholderData: keepPreviousData },
  )

/** Several events over the time since each began, with their totals side by side. */
export function Page() {
  const search = route.useSearch()
  const navigate = useNavigate()
  const ids = idsOf(search.ids)
  const metric: Metric = search.metric ?? 'served'
  const { data, error } = useComparison(ids)
  const [cursor, setCursor] = useState<number | null>(null)
  const events = ids.length < comparedMin ? [] : withOwnHues(data?.events ?? [])
  const change = (part: { ids?: string | undefined; metric?: 'hits' | 'misses' | undefined }) =>
    void navigate({ to: '/events/compare', search: { ...search, ...part }, resetScroll: false })
  const lines: Line[] = events.map((event, index) => ({
    id: event.id,
    hue: event.colorIndex,
    dashes: dashes[index] ?? '',
    points: event.series.map((point) => [point.elapsedSeconds, bytesOf(point, metric)] as const),
  }))
  return (
    <PageFrame
      title={t('compare.title')}
      back={{ to: '/events', label: t('nav.events') }}
      tools={<EventChoice ids={ids} onChange={(next) => change({ ids: next.join(',') })} />}
    >
      {ids.length < comparedMin ? (
        <NoticeCard title={t('compare.few')}>{t('compare.fewText')}</NoticeCard>
      ) : data === undefined && error !== null ? (
        <div className="card">
          <Trouble error={error} className="py-16" />
        </div>
      ) : (
        <div className="space-y-3.5">
          <Card
            title={t('compare.course')}
            note={
              data === undefined
                ? ''
                : t('compare.note', { time: durationText(data.bucketMinutes * 60) })
            }
            action={
              <Segments
                label={t('compare.metric')}
                value={metric}
                options={optionsOf(metrics, (value) => t(`compare.metric.${value}`))}
                onChange={(next) => change({ metric: next === 'served' ? undefined : next })}
              />
            }
          >
            <div className="relative min-h-[260px]">
              {data === undefined ? (
                <div className="skeleton absolute inset-0" />
              ) : (
                <LinesChart lines={lines} label={t('compare.chart')} onCursor={setCursor} />
              )}
            </div>
            <Legend events={events} metric={metric} cursor={cursor} />
          </Card>
          {events.length > 0 && <Sides events={events} />}
        </div>
      )}
    </PageFrame>
  )
}

interface LegendProps {
  events: readonly ComparedEvent[]
  metric: Metric
  cursor: number | null
}

/** Maps lines to events; under the pointer with values. */
const Legend = ({ events, metric, cursor }: LegendProps) => (
  <ul className="figure mt-3 flex min-h-5 flex-wrap gap-x-5 gap-y-1 text-small text-dim">
    {events.map((event, index) => {
      const point = event.series.find(({ elapsedSeconds }) => elapsedSeconds === cursor)
      return (
        <li key={event.id} className="flex max-w-full items-center gap-2">
          <svg
            width="22"
            height="6"
            aria-hidden="true"
            data-hue={event.colorIndex}
            className="hue flex-none"
          >
            <path
              d="M0,3H22"
              className="stroke-(--hue)"
              strokeWidth="2.5"
              strokeDasharray={dashes[index]}
            />
          </svg>
          <span className="truncate">{event.name}</span>
          {point !== undefined && (
            <strong className="font-semibold text-text">{byteText(bytesOf(point, metric))}</strong>
          )}
        </li>
      )
    })}
    {cursor !== null && <li className="ml-auto">{elapsedText(cursor)}</li>}
  </ul>
)

/** With the corresponding figure of the reports, which has the event as its range. */
type Row = [label: Key, value: (event: ComparedEvent) => string, number?: Explained['number']]

const bytesRow = (
  metric: Metric,
  value: (totals: ComparedEvent['totals']) => number,
  number: Explained['number'],
): Row => [`compare.metric.${metric}`, ({ totals }) => byteText(value(totals)), number]

const ratioText = ({ totals }: ComparedEvent): string =>
  totals.servedBytes === 0 ? '–' : percentText(totals.cacheHitRatio * 100)

/** The same figures of each event, one column per event. */
function Sides({ events }: { events: readonly ComparedEvent[] }) {
  const now = useNow(60_000)
  // As the list shows them.
  const held = useEvents().data ?? []
  const most = Math.max(1, ...events.map(({ totals }) => totals.servedBytes))
  const rows: Row[] = [
    ['events.when', (event) => spanText(held.find(({ id }) => id === event.id) ?? event, now)],
    ['events.length', ({ durationSeconds }) => durationText(durationSeconds)],
    bytesRow('served', ({ servedBytes }) => servedBytes, 'dashboard.period.totalServed'),
    bytesRow('hits', ({ hitBytes }) => hitBytes, 'dashboard.period.bandwidthSaved'),
    bytesRow('misses', ({ missBytes }) => missBytes, 'dashboard.period.addedToCache'),
    ['compare.ratio', ratioText, 'dashboard.period.hitRatio'],
    ['nav.downloads', ({ totals }) => countText(totals.downloads), 'dashboard.period.downloads'],
    ['nav.clients', ({ totals }) => countText(totals.clients), 'dashboard.uniqueClients'],
    ['nav.games', ({ totals }) => countText(totals.games)],
  ]
  return (
    <Card title={t('compare.totals')}>
      <div className="overflow-x-auto" tabIndex={0} role="region" aria-label={t('compare.totals')}>
        <table className="figure w-full text-left">
          <thead>
            <tr className="border-b border-line align-top">
              <th scope="col" className="w-[130px] pr-4 pb-3 font-normal">
                <span className="sr-only">{t('compare.figure')}</span>
              </th>
              {events.map((event) => (
                <th key={event.id} scope="col" className="min-w-[150px] pr-5 pb-3 font-medium">
                  <Link
                    to="/events/$id"
                    params={{ id: String(event.id) }}
                    className="mb-1 flex items-center gap-2 py-0.5 hover:underline"
                  >
                    <HueDot index={event.colorIndex} />
                    <span className="truncate">{event.name}</span>
                  </Link>
                  <Composition
                    cached={event.totals.hitBytes}
                    fetched={event.totals.missBytes}
                    whole={most}
                  />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(([label, value, number]) => (
              <tr key={label} className="border-b border-line">
                <th scope="row" className="py-2 pr-4 text-small font-normal text-dim">
                  {t(label)}
                </th>
                {events.map((event) => (
                  <td key={event.id} className="py-2 pr-5">
                    <span className="inline-flex items-center gap-1">
                      {value(event)}
                      {number !== undefined && (
                        <Explain
                          number={number}
                          name={`${t(label)} · ${event.name}`}
                          range={{ span: 'all', event: event.id }}
                        />
                      )}
                    </span>
                  </td>
                ))}
              </tr>
            ))}
            <tr className="align-top">
              <th scope="row" className="py-2 pr-4 text-small font-normal text-dim">
                {t('compare.topGames')}
              </th>
              {events.map((event) => (
                <td key={event.id} className="py-2 pr-5">
                  <ol className="space-y-0.5">
                    {event.topGames.map(({ gameName, service, bytes }) => (
                      <li key={`${service} ${gameName}`} className="flex gap-3">
                        <span className="truncate">{gameName ?? serviceName(service)}</span>
                        <span className="ml-auto whitespace-nowrap text-dim">
                          {byteText(bytes)}
                        </span>
                      </li>
                    ))}
                  </ol>
                </td>
              ))}
            </tr>
          </tbody>
        </table>
      </div>
    </Card>
  )
}

interface EventChoiceProps {
  ids: readonly number[]
  onChange: (ids: readonly number[]) => void
}

/** Selects the events to compare. */
function EventChoice({ ids, onChange }: EventChoiceProps) {
  const now = useNow(60_000)
  const events = orderEvents(useEvents().data ?? [], now)
  return (
    <Popover
      label={t('compare.choice')}
      face={<span className="font-semibold">{t('compare.chosen', { count: ids.length })}</span>}
      className="w-[300px]"
    >
      {() => (
        <fieldset className="max-h-[50dvh] overflow-y-auto p-2">
          <legend className="pb-1 text-small text-dim">
            {t('compare.choiceNote', { max: comparedMax })}
          </legend>
          {events.map((event) => {
            const isChosen = ids.includes(event.id)
            return (
              <label
                key={event.id}
                className="flex cursor-pointer items-center gap-2.5 rounded-control px-1.5 py-1.5 hover:bg-raise"
              >
                <input
                  type="checkbox"
                  className="accent-cache"
                  checked={isChosen}
                  disabled={!isChosen && ids.length >= comparedMax}
                  onChange={() =>
                    onChange(isChosen ? ids.filter((id) => id !== event.id) : [...ids, event.id])
                  }
                />
                <EventLabel event={event} now={now} />
              </label>
            )
          })}
        </fieldset>
      )}
    </Popover>
  )
}
