import { clsx } from 'clsx'
import { Suspense, useState, useEffect } from 'react'
import { useEvents } from '../../api/event-queries.ts'
import { rangeLabel } from '../../app/range-picker.tsx'
import { periodOf, rangeKey, type Range } from '../../app/range.ts'
import { useNow } from '../../app/clock.ts'
import { Card, Away, Nothing, Notice } from '../../components/card.tsx'
import { FlowChart, type Band } from '../../components/flow/flow-chart.tsx'
import { FlowLegend } from '../../components/flow/flow-legend.tsx'
import { Segments } from '../../components/form-controls.tsx'
import { liveSeries, type Series } from '../../live/samples.ts'
import { useSamples } from '../../live/store.ts'
import { t } from '../../locales/translate.ts'
import { flowSeries, openAfter, spanOf, type Point } from './flow-series.ts'
import { flowNote } from '../../components/flow/ticks.ts'
import { useOverview } from './use-overview.ts'
import { lazyPart } from '../../app/lazy-part.ts'

const Brush = lazyPart(async () => (await import('./brush.tsx')).Brush, 'reports')

const liveSeconds = 300
type View = Point | 'live'

/** Calendar events, which explain bursts. */
const useBands = (): Band[] =>
  (useEvents().data ?? []).map(({ id, name, colorIndex, startTimeUtc, endTimeUtc }) => ({
    id,
    name,
    hue: colorIndex,
    from: Date.parse(startTimeUtc) / 1000,
    to: Date.parse(endTimeUtc) / 1000,
  }))

/** The flow over the range with the live seconds at its end, or only the last five minutes. */
export function ThroughputCard() {
  const { range, onRange, batch, age } = useOverview()
  const sparklines = batch?.sparklines
  const isLoading = batch === undefined
  const [view, setView] = useState<View>('average')
  const [cursor, setCursor] = useState<number | null>(null)
  /** Ranges from which a part was selected, by the part's key. */
  const [wider, setWider] = useState<Record<string, Range>>({})
  const back = wider[rangeKey(range)]
  const isInteracted = useInteracted()
  const samples = useSamples()
  const now = useNow(1000).getTime() / 1000
  const isLive = view === 'live'
  const bands = useBands()
  const peakMinutes = sparklines?.peaks.minutes ?? 0
  // Narrow buckets are the finest there is.
  const hasPeaks =
    sparklines !== null && sparklines !== undefined && peakMinutes < sparklines.bucketMinutes
  const point = view === 'peak' && hasPeaks ? 'peak' : 'average'
  const bucketSeconds = (sparklines?.bucketMinutes ?? 15) * 60
  const period = periodOf(range, new Date(now * 1000))
  // A range with fixed ends may be in the past, without live data.
  const isPast = 'from' in range && range.to < now
  const end = 'from' in range && isPast ? range.to : now
  // Live figures do not belong to one event.
  const hasLive = !isPast && range.event === undefined
  const series: Series = isLive
    ? liveSeries(samples, now, liveSeconds)
    : sparklines
      ? flowSeries(sparklines, hasLive ? samples : [], end, {
          from: period?.startTime ?? null,
          point,
        })
      : [[], [], []]
  const note = isLive
    ? t('flow.liveNote')
    : point === 'peak'
      ? t('flow.peakNote', { count: peakMinutes })
      : flowNote(bucketSeconds)
  const isSilent = !isLive && series[2].every((rate) => rate === null || rate === 0)
  const isEmpty = series[0].length < 2 || isSilent
  const span = isLive
    ? { from: now - liveSeconds, to: now }
    : spanOf(series, { from: period?.startTime ?? null, to: end, bucketSeconds })
  const zoom = (part: { from: number; to: number }) => {
    const next = range.event === undefined ? part : { ...part, event: range.event }
    setWider({ ...wider, [rangeKey(next)]: range })
    onRange(next)
  }
  return (
    <Card
      title={t('flow.title')}
      note={isEmpty && !isLive ? undefined : note}
      action={
        <>
          {back !== undefined && (
            <button type="button" className="link mr-3 leading-6" onClick={() => onRange(back)}>
              ‹ {rangeLabel(back)}
            </button>
          )}
          <Segments
            label={t('flow.view')}
            value={isLive ? view : point}
            options={[
              { value: 'average', label: t('flow.average') },
              ...(hasPeaks ? [{ value: 'peak' as const, label: t('flow.peak') }] : []),
              { value: 'live', label: t('flow.live') },
            ]}
            onChange={setView}
          />
        </>
      }
    >
      <div
        className={clsx(
          'relative min-h-[196px] flex-1',
          isLive ? 'live-figure' : age('sparklines'),
        )}
      >
        {!isLive && !isLoading && !sparklines ? (
          <Away className="absolute inset-0" />
        ) : isLoading && !isLive ? (
          <div className="skeleton absolute inset-0" />
        ) : isEmpty && isLive ? (
          <Notice title={t('flow.waiting')} className="absolute inset-0" />
        ) : isEmpty ? (
          <Nothing title={t('flow.empty')} className="absolute inset-0" />
        ) : (
          <>
            <FlowChart
              series={series}
              {...span}
              label={t('flow.label')}
              bands={bands}
              openAfter={hasLive && !isLive ? openAfter(now, bucketSeconds) : undefined}
              onCursor={setCursor}
            />
            {isInteracted && !isLive && (
              <Suspense>
                <Brush {...span} moments={series[0]} onCursor={setCursor} onPart={zoom} />
              </Suspense>
            )}
          </>
        )}
      </div>
      <FlowLegend series={series} index={cursor} />
    </Card>
  )
}

const kinds = ['pointermove', 'pointerdown', 'keydown'] as const

/** Whether the user has pointed or typed yet: what only serves that is loaded then. */
function useInteracted(): boolean {
  const [isInteracted, setIsInteracted] = useState(false)
  useEffect(() => {
    const once = new AbortController()
    const note = () => {
      once.abort()
      setIsInteracted(true)
    }
    for (const kind of kinds) addEventListener(kind, note, { signal: once.signal })
    return () => once.abort()
  }, [])
  return isInteracted
}
