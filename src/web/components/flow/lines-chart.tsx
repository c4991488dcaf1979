import { byteTick } from '../../format/numbers.ts'
import { elapsedText } from '../../format/times.ts'
import { ChartFrame } from './chart-frame.tsx'
import { linePath, runsOf, type Point } from './paths.ts'

export interface Line {
  id: number
  /** Index of its colour and its dash pattern, which also distinguishes it from the others. */
  hue: number
  dashes: string
  /** Seconds since the start, bytes. */
  points: readonly (readonly [elapsed: number, bytes: number])[]
}

interface LinesChartProps {
  lines: readonly Line[]
  label: string
  onCursor: (elapsed: number | null) => void
}

const headroom = 1.08
/** Minimum upper end of the axis, bytes: fractions of a byte are unreadable. */
const topMin = 1000
const hour = 3600
/** Intervals between marks on the axis of elapsed time, seconds. */
const steps = [300, 900, 1800, hour, 2 * hour, 3 * hour, 6 * hour, 12 * hour, 24 * hour, 48 * hour]
const ticksMax = 40

function elapsedTicks(to: number, wanted: number): number[] {
  const step =
    steps.find((known) => to / known <= wanted) ?? Math.ceil(to / wanted / 86_400) * 86_400
  const count = Math.min(ticksMax, Math.floor(to / Math.max(1, step)) + 1)
  return Array.from({ length: count }, (_, index) => index * step)
}

/** Several lines over the time since each began. */
export function LinesChart({ lines, label, onCursor }: LinesChartProps) {
  const most = Math.max(topMin, ...lines.flatMap(({ points }) => points.map(([, bytes]) => bytes)))
  const to = Math.max(1, ...lines.map(({ points }) => points.at(-1)?.[0] ?? 0))
  const moments = [...new Set(lines.flatMap(({ points }) => points.map(([at]) => at)))].sort(
    (a, b) => a - b,
  )
  return (
    <ChartFrame
      label={label}
      from={0}
      to={to}
      top={most * headroom}
      amountText={byteTick}
      ticks={(wanted) => elapsedTicks(to, wanted)}
      tickText={(elapsed) => (elapsed === 0 ? '0' : elapsedText(elapsed))}
      moments={moments}
      onCursor={(index) => onCursor(index === null ? null : (moments[index] ?? null))}
    >
      {({ x, y }) =>
        lines.map(({ id, hue, dashes, points }) => (
          <path
            key={id}
            data-hue={hue}
            d={linePath(runsOf(points.map(([at, bytes]): Point => [x(at), y(bytes)])))}
            className="hue stroke-(--hue)"
            fill="none"
            strokeWidth="2"
            strokeLinejoin="round"
            strokeDasharray={dashes}
          />
        ))
      }
    </ChartFrame>
  )
}
