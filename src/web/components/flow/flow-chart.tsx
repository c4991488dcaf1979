import { rateAmount, rateText } from '../../format/numbers.ts'
import { clockText, dayText } from '../../format/times.ts'
import type { Series } from '../../live/samples.ts'
import { ChartFrame, type Plot } from './chart-frame.tsx'
import { areaPath, linePath, runsOf, type Point } from './paths.ts'
import { axisTop, timeTicks } from './ticks.ts'

interface FlowChartProps {
  series: Series
  /** Range of the x axis, Unix seconds. */
  from: number
  to: number
  label: string
  /** Minimum upper end of the axis, bytes per second. */
  least?: number
  onCursor: (index: number | null) => void
}

const daySeconds = 86_400

function amountText(rate: number): string {
  const { value, unit } = rateAmount(rate)
  return `${value.replace(/[.,]0+$/, '')} ${unit}`
}

/** Two areas over time: cached below total traffic. */
export function FlowChart({ series, from, to, label, least, onCursor }: FlowChartProps) {
  const tickText = (at: number) => {
    const date = new Date(at * 1000)
    // Over more than a day, midnight shows the date; marks in between need the hour.
    const isMidnight = date.getHours() === 0 && date.getMinutes() === 0
    return to - from > 1.1 * daySeconds && isMidnight ? dayText(date) : clockText(date)
  }
  return (
    <ChartFrame
      label={label}
      from={from}
      to={to}
      top={axisTop(series[2], least)}
      amountText={amountText}
      ticks={(wanted) => timeTicks(from, to, wanted)}
      tickText={tickText}
      moments={series[0]}
      onCursor={onCursor}
    >
      {(plot, index) => (
        <>
          <Areas plot={plot} series={series} />
          <Peak plot={plot} series={series} />
          {index !== null && <Dots plot={plot} series={series} index={index} />}
        </>
      )}
    </ChartFrame>
  )
}

interface PartProps {
  plot: Plot
  series: Series
}

function Areas({ plot, series }: PartProps) {
  const { x, y, ground } = plot
  const runs = (rates: readonly (number | null)[]) =>
    runsOf(
      series[0].map((at, index): Point | null => {
        const rate = rates[index] ?? null
        return rate === null ? null : [x(at), y(rate)]
      }),
    )
  const cached = runs(series[1])
  const total = runs(series[2])
  // The total is drawn first, so that the cached part stays visible where both are equal.
  return (
    <g strokeWidth="1.5" strokeLinejoin="round" fill="none">
      <path
        d={areaPath(total, ground)}
        className="fill-[color-mix(in_srgb,var(--fetched)_26%,var(--panel))]"
      />
      <path d={linePath(total)} className="stroke-fetched" />
      <path
        d={areaPath(cached, ground)}
        className="fill-[color-mix(in_srgb,var(--cache)_28%,var(--panel))]"
      />
      <path d={linePath(cached)} className="stroke-cache" />
    </g>
  )
}

/** The highest value where the axis clips it. */
function Peak({ plot, series }: PartProps) {
  const { x, left, right, ceiling, top } = plot
  const rates = series[2].map((rate) => rate ?? 0)
  const most = Math.max(0, ...rates)
  const at = series[0][rates.indexOf(most)]
  if (most <= top || at === undefined) return null
  const isRight = x(at) > (left + right) / 2
  return (
    <text
      x={x(at) + (isRight ? -5 : 5)}
      y={ceiling - 4}
      textAnchor={isRight ? 'end' : 'start'}
      className="fill-text font-medium"
    >
      {isRight ? `${rateText(most)} ▲` : `▲ ${rateText(most)}`}
    </text>
  )
}

/** Both values under the pointer. */
function Dots({ plot, series, index }: PartProps & { index: number }) {
  const { x, y } = plot
  const at = series[0][index]
  if (at === undefined) return null
  const dots = [
    { rate: series[2][index], ink: 'stroke-fetched' },
    { rate: series[1][index], ink: 'stroke-cache' },
  ]
  return (
    <g aria-hidden="true" strokeWidth="1.5">
      {dots.map(
        ({ rate, ink }) =>
          rate !== undefined &&
          rate !== null && (
            <circle key={ink} cx={x(at)} cy={y(rate)} r="3.5" className={`fill-panel ${ink}`} />
          ),
      )}
    </g>
  )
}
