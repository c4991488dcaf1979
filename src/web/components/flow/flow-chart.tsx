import { useState, type PointerEvent } from 'react'
import { rateAmount, rateText } from '../../format/numbers.ts'
import { clockText, dayText } from '../../format/times.ts'
import type { Series } from '../../live/samples.ts'
import { areaPath, linePath, nearest, runsOf, type Point } from './paths.ts'
import { amountTicks, axisTop, timeTicks } from './ticks.ts'
import { useSize, type Size } from './use-size.ts'

interface FlowChartProps {
  series: Series
  /** Span of the x axis, Unix seconds. */
  from: number
  to: number
  label: string
  /** The axis reaches at least so high, bytes per second. */
  least?: number
  onCursor: (index: number | null) => void
}

const edge = { left: 62, right: 14, top: 14, bottom: 24 }
const tickSpace = { x: 84, y: 48 }
const daySeconds = 86_400

function scalesOf({ width, height }: Size, { series, from, to, least }: FlowChartProps) {
  const top = axisTop(series[2], least)
  const inner = { width: width - edge.left - edge.right, height: height - edge.top - edge.bottom }
  const x = (at: number) => edge.left + ((at - from) / Math.max(1, to - from)) * inner.width
  const y = (rate: number) => edge.top + (1 - Math.min(rate, top) / top) * inner.height
  return { x, y, top, inner, ground: edge.top + inner.height }
}
type Scales = ReturnType<typeof scalesOf>

/** Two areas over time: what came from the cache below what was served in all. */
export function FlowChart(props: FlowChartProps) {
  const { series, from, to, label, onCursor } = props
  const { place, size } = useSize()
  const [cursor, setCursor] = useState<number | null>(null)
  const show = (index: number | null) => {
    setCursor(index)
    onCursor(index)
  }
  const follow = ({ clientX, currentTarget }: PointerEvent<SVGSVGElement>) => {
    const box = currentTarget.getBoundingClientRect()
    const share = (clientX - box.left - edge.left) / (box.width - edge.left - edge.right)
    show(nearest(series[0], from + share * (to - from)))
  }
  const scales = size === null ? null : scalesOf(size, props)
  return (
    <div ref={place} className="absolute inset-0">
      {size !== null && scales !== null && (
        <svg
          role="img"
          aria-label={label}
          {...size}
          className="figure block text-[11px]"
          onPointerMove={follow}
          onPointerLeave={() => show(null)}
        >
          <Axes scales={scales} from={from} to={to} />
          <Areas scales={scales} series={series} />
          <Peak scales={scales} series={series} />
          {cursor !== null && <Cursor scales={scales} series={series} index={cursor} />}
        </svg>
      )}
    </div>
  )
}

function Axes({ scales, from, to }: { scales: Scales; from: number; to: number }) {
  const { x, y, top, inner, ground } = scales
  const right = edge.left + inner.width
  const textOf = (at: number) => {
    const date = new Date(at * 1000)
    // Over more than a day its midnight says which one it is; marks in between need the hour.
    const isMidnight = date.getHours() === 0 && date.getMinutes() === 0
    return to - from > 1.1 * daySeconds && isMidnight ? dayText(date) : clockText(date)
  }
  const amountText = (rate: number) => {
    const { value, unit } = rateAmount(rate)
    return rate === 0 ? '0' : `${value.replace(/[.,]0+$/, '')} ${unit}`
  }
  return (
    <g aria-hidden="true" className="fill-dim">
      {amountTicks(top, inner.height / tickSpace.y).map((rate) => (
        <g key={rate}>
          <path d={`M${edge.left},${y(rate)}H${right}`} className="stroke-line" />
          <text x={edge.left - 8} y={y(rate)} dy="0.32em" textAnchor="end">
            {amountText(rate)}
          </text>
        </g>
      ))}
      {timeTicks(from, to, inner.width / tickSpace.x).map((at) => (
        <text
          key={at}
          x={x(at)}
          y={ground + 17}
          // At the very end there is no room for the second half.
          textAnchor={x(at) > right - edge.right ? 'end' : 'middle'}
        >
          {textOf(at)}
        </text>
      ))}
    </g>
  )
}

function Areas({ scales, series }: { scales: Scales; series: Series }) {
  const { x, y, ground } = scales
  const runs = (rates: readonly (number | null)[]) =>
    runsOf(
      series[0].map((at, index): Point | null => {
        const rate = rates[index] ?? null
        return rate === null ? null : [x(at), y(rate)]
      }),
    )
  const cached = runs(series[1])
  const total = runs(series[2])
  // The total lies below, so that what came from the cache stays visible where both are equal.
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

/** The highest value where the axis cuts it off. */
function Peak({ scales, series }: { scales: Scales; series: Series }) {
  const { x, top } = scales
  const rates = series[2].map((rate) => rate ?? 0)
  const most = Math.max(0, ...rates)
  const at = series[0][rates.indexOf(most)]
  if (most <= top || at === undefined) return null
  const isRight = x(at) > edge.left + scales.inner.width / 2
  return (
    <text
      x={x(at) + (isRight ? -5 : 5)}
      y={edge.top - 4}
      textAnchor={isRight ? 'end' : 'start'}
      className="fill-text font-medium"
    >
      {isRight ? `${rateText(most)} ▲` : `▲ ${rateText(most)}`}
    </text>
  )
}

function Cursor({ scales, series, index }: { scales: Scales; series: Series; index: number }) {
  const { x, y, ground } = scales
  const at = series[0][index]
  if (at === undefined) return null
  const dots = [
    { rate: series[2][index], ink: 'stroke-fetched' },
    { rate: series[1][index], ink: 'stroke-cache' },
  ]
  return (
    <g aria-hidden="true" strokeWidth="1.5">
      <path d={`M${x(at)},${edge.top}V${ground}`} className="stroke-edge" strokeDasharray="3 3" />
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
