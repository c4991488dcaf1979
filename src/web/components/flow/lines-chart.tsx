import { useState, type PointerEvent } from 'react'
import { byteText } from '../../format/numbers.ts'
import { durationText } from '../../format/times.ts'
import { linePath, nearest, runsOf, type Point } from './paths.ts'
import { amountTicks } from './ticks.ts'
import { useSize, type Size } from './use-size.ts'

export interface Line {
  id: number
  /** Number of its colour, and what tells it apart from the others besides: a pattern of dashes. */
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

const edge = { left: 62, right: 14, top: 14, bottom: 24 }
const tickSpace = { x: 90, y: 48 }
const headroom = 1.08
const hour = 3600
/** Distances of the marks on the axis of elapsed time, seconds. */
const steps = [300, 900, 1800, hour, 2 * hour, 3 * hour, 6 * hour, 12 * hour, 24 * hour, 48 * hour]
const ticksMax = 40

function elapsedTicks(to: number, wanted: number): number[] {
  const step =
    steps.find((known) => to / known <= wanted) ?? Math.ceil(to / wanted / 86_400) * 86_400
  const count = Math.min(ticksMax, Math.floor(to / Math.max(1, step)) + 1)
  return Array.from({ length: count }, (_, index) => index * step)
}

function scalesOf({ width, height }: Size, lines: readonly Line[]) {
  const most = Math.max(1, ...lines.flatMap(({ points }) => points.map(([, bytes]) => bytes)))
  const to = Math.max(1, ...lines.map(({ points }) => points.at(-1)?.[0] ?? 0))
  const top = most * headroom
  const inner = { width: width - edge.left - edge.right, height: height - edge.top - edge.bottom }
  const x = (elapsed: number) => edge.left + (elapsed / to) * inner.width
  const y = (bytes: number) => edge.top + (1 - bytes / top) * inner.height
  return { x, y, top, to, inner }
}

/** Several lines over the time since each of them began. */
export function LinesChart({ lines, label, onCursor }: LinesChartProps) {
  const { place, size } = useSize()
  const [cursor, setCursor] = useState<number | null>(null)
  const show = (elapsed: number | null) => {
    setCursor(elapsed)
    onCursor(elapsed)
  }
  const moments = [...new Set(lines.flatMap(({ points }) => points.map(([at]) => at)))].sort(
    (a, b) => a - b,
  )
  const scales = size === null ? null : scalesOf(size, lines)
  const follow = ({ clientX, currentTarget }: PointerEvent<SVGSVGElement>) => {
    const box = currentTarget.getBoundingClientRect()
    const share = (clientX - box.left - edge.left) / (box.width - edge.left - edge.right)
    const index = nearest(moments, share * (scales?.to ?? 0))
    show(index === null ? null : (moments[index] ?? null))
  }
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
          <g aria-hidden="true" className="fill-dim">
            {amountTicks(scales.top, scales.inner.height / tickSpace.y).map((bytes) => (
              <g key={bytes}>
                <path
                  d={`M${edge.left},${scales.y(bytes)}H${edge.left + scales.inner.width}`}
                  className="stroke-line"
                />
                <text x={edge.left - 8} y={scales.y(bytes)} dy="0.32em" textAnchor="end">
                  {bytes === 0 ? '0' : byteText(bytes).replace(/[.,]0+(?=\s)/, '')}
                </text>
              </g>
            ))}
            {elapsedTicks(scales.to, scales.inner.width / tickSpace.x).map((elapsed) => (
              <text
                key={elapsed}
                x={scales.x(elapsed)}
                y={size.height - 7}
                textAnchor={
                  elapsed === 0 ? 'start' : scales.to - elapsed < scales.to / 40 ? 'end' : 'middle'
                }
              >
                {elapsed === 0 ? '0' : `+${durationText(elapsed)}`}
              </text>
            ))}
          </g>
          {cursor !== null && (
            <path
              d={`M${scales.x(cursor)},${edge.top}V${edge.top + scales.inner.height}`}
              className="stroke-edge"
              strokeDasharray="3 3"
            />
          )}
          {lines.map(({ id, hue, dashes, points }) => (
            <path
              key={id}
              data-hue={hue}
              d={linePath(
                runsOf(points.map(([at, bytes]): Point => [scales.x(at), scales.y(bytes)])),
              )}
              className="hue stroke-(--hue)"
              fill="none"
              strokeWidth="2"
              strokeLinejoin="round"
              strokeDasharray={dashes}
            />
          ))}
        </svg>
      )}
    </div>
  )
}
