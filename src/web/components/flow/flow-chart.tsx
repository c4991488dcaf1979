import { rateAmount, rateText } from '../../format/numbers.ts'
import { clockText, dayText, inputValue } from '../../format/times.ts'
import type { Series } from '../../live/samples.ts'
import { ChartFrame, type Plot } from './chart-frame.tsx'
import { areaPath, linePath, nameWidths, runsOf, type Point } from './paths.ts'
import { axisTop, timeTicks } from './ticks.ts'

/** A span of time drawn behind the curve, Unix seconds. */
export interface Band {
  id: number
  name: string
  /** Index of an event's colour. */
  hue: number
  from: number
  to: number
}

interface FlowChartProps {
  series: Series
  /** Range of the x axis, Unix seconds. */
  from: number
  to: number
  label: string
  /** Minimum upper end of the axis, bytes per second. */
  least?: number
  bands?: readonly Band[]
  /** Points after this moment are of a bucket that is not over, Unix seconds. */
  openAfter?: number
  onCursor: (index: number | null) => void
}

const daySeconds = 86_400

function amountText(rate: number): string {
  const { value, unit } = rateAmount(rate)
  return `${value.replace(/[.,]0+$/, '')} ${unit}`
}

/** Two areas over time: cached below total traffic. */
export function FlowChart(props: FlowChartProps) {
  const { series, from, to, label, least, bands = [], openAfter = to, onCursor } = props
  const tickText = (at: number) => {
    const date = new Date(at * 1000)
    // Over more than a day, midnight shows the date; marks in between need the hour.
    const isMidnight = inputValue(date).endsWith('T00:00')
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
          <Bands plot={plot} bands={bands} from={from} to={to} />
          <Areas plot={plot} series={series} openAfter={openAfter} />
          <Peak plot={plot} series={series} openAfter={openAfter} />
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

type OpenPartProps = PartProps & { openAfter: number }

/** The areas up to the last whole bucket, and dashed what came since. */
function Areas({ plot, series, openAfter }: OpenPartProps) {
  const { x, y, ground } = plot
  const lastWhole = series[0].findLast((at) => at <= openAfter) ?? openAfter
  const runs = (rates: readonly (number | null)[], isIn: (at: number) => boolean) =>
    runsOf(
      series[0].map((at, index): Point | null => {
        const rate = rates[index] ?? null
        return rate === null || !isIn(at) ? null : [x(at), y(rate)]
      }),
    )
  const parts = [
    { isIn: (at: number) => at <= openAfter, ink: '' },
    { isIn: (at: number) => at >= lastWhole, ink: 'opacity-60 [stroke-dasharray:3_2]' },
  ]
  return parts.map(({ isIn, ink }) => {
    const cached = runs(series[1], isIn)
    const total = runs(series[2], isIn)
    // The total is drawn first, so that the cached part stays visible where both are equal.
    return (
      <g key={ink} className={ink} strokeWidth="1.5" strokeLinejoin="round" fill="none">
        <path d={areaPath(total, ground)} className="area-fetched" />
        <path d={linePath(total)} className="stroke-fetched" />
        <path d={areaPath(cached, ground)} className="area-cache" />
        <path d={linePath(cached)} className="stroke-cache" />
      </g>
    )
  })
}

/** Least width of a band with its name, in pixels. */
const namedWidth = 56

function Bands({ plot, bands, from, to }: Pick<FlowChartProps, 'from' | 'to'> & BandsProps) {
  const { x, ceiling, ground } = plot
  const shown = bands
    .filter((band) => band.from < to && band.to > from)
    .map((band) => {
      const left = x(Math.max(from, band.from))
      return { ...band, left, width: Math.max(2, x(Math.min(to, band.to)) - left) }
    })
    .toSorted((a, b) => a.left - b.left)
  const nameWidth = nameWidths(shown, namedWidth)
  return shown.map(({ id, name, hue, left, width }, index) => (
    <svg key={id} data-hue={hue} className="hue" x={left} width={width}>
      <title>{name}</title>
      <rect
        y={ceiling}
        width={width}
        height={ground - ceiling}
        className="fill-(--hue) opacity-[0.13]"
      />
      <rect y={ceiling} width={width} height="2" className="fill-(--hue)" />
      <svg width={nameWidth[index]}>
        <text y={ceiling - 4} className="fill-text">
          {name}
        </text>
      </svg>
    </svg>
  ))
}

interface BandsProps {
  plot: Plot
  bands: readonly Band[]
}

/** The highest value of a whole bucket, above its point. */
function Peak({ plot, series, openAfter }: OpenPartProps) {
  const { x, y, left, right } = plot
  const rates = series[2].map((rate, index) =>
    (series[0][index] ?? 0) <= openAfter ? (rate ?? 0) : 0,
  )
  const most = Math.max(0, ...rates)
  const at = series[0][rates.indexOf(most)]
  if (most === 0 || at === undefined) return null
  const isRight = x(at) > (left + right) / 2
  return (
    <text
      x={x(at) + (isRight ? -6 : 6)}
      y={y(most) + 3}
      textAnchor={isRight ? 'end' : 'start'}
      className="fill-text stroke-panel stroke-3 font-medium [paint-order:stroke]"
    >
      {rateText(most)}
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
