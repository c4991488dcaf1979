import { ChartFrame, type Plot } from '../flow/chart-frame.tsx'
import { areaPath, linePath, runsOf, type Point } from '../flow/paths.ts'
import { timeTicks } from '../flow/ticks.ts'
import { byteText, byteTick } from '../../format/numbers.ts'
import { dayText } from '../../format/times.ts'
import { t } from '../../locales/translate.ts'

export interface SizeAt {
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
export function GrowthChart({
  points,
  limit,
  from,
  to,
  gapSeconds,
  label,
  onCursor,
}: GrowthChartProps) {
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

function Limit({ plot: { y, left, right }, limit }: { plot: Plot; limit: number }) {
  return (
    <g aria-hidden="true">
      <path d={`M${left},${y(limit)}H${right}`} className="stroke-edge" strokeDasharray="5 4" />
      <text x={left + 6} y={y(limit) + 14} className="fill-dim">
        {t('growth.limit', { bytes: byteText(limit) })}
      </text>
    </g>
  )
}
