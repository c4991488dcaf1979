import { useState } from 'react'
import { useSizeHistory } from '../../api/cache-queries.ts'
import { Card, Notice, Trouble } from '../card.tsx'
import { Segments, optionsOf } from '../form-controls.tsx'
import { byteText, changeText, byteTick } from '../../format/numbers.ts'
import { fullMomentText, dayText } from '../../format/times.ts'
import { t } from '../../locales/translate.ts'
import { growthSpans, type GrowthSpan } from './growth-spans.ts'
import { ChartFrame, type Plot } from '../flow/chart-frame.tsx'
import { areaPath, linePath, runsOf, type Point } from '../flow/paths.ts'
import { timeTicks } from '../flow/ticks.ts'

interface GrowthCardProps {
  days: GrowthSpan
  onDays: (days: GrowthSpan) => void
  className: string
}

/** Sizes are measured hourly; a few missing ones are not a gap. */
const gapSecondsMin = 4 * 3600

/** Growth of the cache, from measured sizes. */
export function GrowthCard({ days, onDays, className }: GrowthCardProps) {
  const { data, error } = useSizeHistory(days)
  const [cursor, setCursor] = useState<number | null>(null)
  const points = (data?.items ?? []).map(({ takenAt, usedBytes }) => ({
    at: Date.parse(takenAt) / 1000,
    used: usedBytes,
  }))
  const [first, last] = [points[0], points.at(-1)]
  const under = cursor === null ? undefined : points[cursor]
  const total = data?.items.at(-1)?.totalBytes ?? 0
  const grown = first === undefined || last === undefined ? 0 : last.used - first.used
  const isShort = points.length < 2 || first === undefined || last === undefined
  return (
    <Card
      title={t('growth.title')}
      note={t('growth.note')}
      className={className}
      action={
        <Segments
          label={t('growth.span')}
          value={days}
          options={optionsOf(growthSpans, (span) => t('growth.days', { days: span }))}
          onChange={onDays}
        />
      }
    >
      <div className="relative min-h-[220px] flex-1">
        {data === undefined && error === null && <div className="skeleton absolute inset-0" />}
        {data === undefined && error !== null && (
          <Trouble error={error} className="absolute inset-0" />
        )}
        {data !== undefined && isShort && (
          <Notice title={t('growth.short')} className="absolute inset-0">
            {t('growth.shortText')}
          </Notice>
        )}
        {!isShort && (
          <GrowthChart
            points={points}
            limit={total}
            from={first.at}
            to={last.at}
            gapSeconds={Math.max(gapSecondsMin, 3 * (data?.bucketSeconds ?? 0))}
            label={t('growth.label')}
            onCursor={setCursor}
          />
        )}
      </div>
      {!isShort && (
        <p className="figure mt-2 flex min-h-5 flex-wrap gap-x-4 text-small text-dim">
          {under === undefined ? (
            <>
              <span>
                {t(grown >= 0 ? 'growth.grown' : 'growth.shrunk', {
                  bytes: byteText(Math.abs(grown)),
                })}{' '}
                {first.used > 0 && `(${changeText((grown / first.used) * 100)})`}
              </span>
              {total > 0 && <span>{t('growth.of', { total: byteText(total) })}</span>}
            </>
          ) : (
            <>
              <strong className="font-semibold text-text">{byteText(under.used)}</strong>
              <span className="ml-auto">{fullMomentText(new Date(under.at * 1000))}</span>
            </>
          )}
        </p>
      )}
    </Card>
  )
}

interface SizeAt {
  /** Unix seconds. */
  at: number
  used: number
}

interface GrowthChartProps {
  points: readonly SizeAt[]
  /** Total capacity in bytes; 0 when unknown. */
  limit: number
  from: number
  to: number
  /** Longer intervals without a measurement are gaps, seconds. */
  gapSeconds: number
  label: string
  onCursor: (index: number | null) => void
}

const headroom = 1.15
/** A limit this many times above usage would flatten the line: it is only labelled. */
const limitFactor = 3

/** Usage over time, below the capacity. */
function GrowthChart({ points, limit, from, to, gapSeconds, label, onCursor }: GrowthChartProps) {
  const most = Math.max(1, ...points.map(({ used }) => used))
  const showsLimit = limit > 0 && limit <= most * limitFactor
  return (
    <ChartFrame
      label={label}
      from={from}
      to={to}
      top={Math.max(most * headroom, showsLimit ? limit * 1.06 : 0)}
      amountText={byteTick}
      ticks={(wanted) => timeTicks(from, to, wanted)}
      tickText={(at) => dayText(new Date(at * 1000))}
      moments={points.map(({ at }) => at)}
      onCursor={onCursor}
    >
      {(plot, index) => {
        const under = index === null ? undefined : points[index]
        return (
          <>
            <Used plot={plot} points={points} gapSeconds={gapSeconds} />
            {showsLimit && <Limit plot={plot} limit={limit} />}
            {under !== undefined && (
              <circle
                aria-hidden="true"
                cx={plot.x(under.at)}
                cy={plot.y(under.used)}
                r="3.5"
                strokeWidth="1.5"
                className="fill-panel stroke-cache"
              />
            )}
          </>
        )
      }}
    </ChartFrame>
  )
}

interface UsedProps {
  plot: Plot
  points: readonly SizeAt[]
  gapSeconds: number
}

function Used({ plot, points, gapSeconds }: UsedProps) {
  const runs = runsOf(
    points.flatMap(({ at, used }, index): (Point | null)[] => {
      const before = points[index - 1]
      const isGap = before !== undefined && at - before.at > gapSeconds
      const point: Point = [plot.x(at), plot.y(used)]
      return isGap ? [null, point] : [point]
    }),
  )
  return (
    <>
      <path d={areaPath(runs, plot.ground)} className="area-cache" />
      <path d={linePath(runs)} className="stroke-cache" strokeWidth="1.5" fill="none" />
    </>
  )
}

const Limit = ({ plot: { y, left, right }, limit }: { plot: Plot; limit: number }) => (
  <g aria-hidden="true">
    <path d={`M${left},${y(limit)}H${right}`} className="stroke-edge" strokeDasharray="5 4" />
    <text x={left + 6} y={y(limit) + 14} className="fill-dim">
      {t('growth.limit', { bytes: byteText(limit) })}
    </text>
  </g>
)
