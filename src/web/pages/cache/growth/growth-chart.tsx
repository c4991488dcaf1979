import { useState, type PointerEvent } from 'react'
import { areaPath, linePath, nearest, runsOf, type Point } from '../../../components/flow/paths.ts'
import { amountTicks, timeTicks } from '../../../components/flow/ticks.ts'
import { useSize, type Size } from '../../../components/flow/use-size.ts'
import { byteText } from '../../../format/numbers.ts'
import { dayText } from '../../../format/times.ts'
import { t } from '../../../locales/translate.ts'

export interface SizeAt {
  /** Unix seconds. */
  at: number
  used: number
}

interface GrowthChartProps {
  points: readonly SizeAt[]
  /** Bytes that fit in all; 0 when unknown. */
  limit: number
  from: number
  to: number
  /** Longer than this without a measure is a gap, seconds. */
  gapSeconds: number
  label: string
  onCursor: (index: number | null) => void
}

const edge = { left: 62, right: 14, top: 14, bottom: 24 }
const tickSpace = { x: 84, y: 48 }
const headroom = 1.15
/** A limit so many times higher than what is used would press the line flat: it is only named. */
const limitFactor = 3

function scalesOf({ width, height }: Size, { points, limit, from, to }: GrowthChartProps) {
  const most = Math.max(1, ...points.map(({ used }) => used))
  const showsLimit = limit > 0 && limit <= most * limitFactor
  const top = Math.max(most * headroom, showsLimit ? limit * 1.06 : 0)
  const inner = { width: width - edge.left - edge.right, height: height - edge.top - edge.bottom }
  const x = (at: number) => edge.left + ((at - from) / Math.max(1, to - from)) * inner.width
  const y = (bytes: number) => edge.top + (1 - bytes / top) * inner.height
  return { x, y, top, inner, showsLimit, ground: edge.top + inner.height }
}

/** What was used over time, below what fits in all. */
export function GrowthChart(props: GrowthChartProps) {
  const { points, limit, from, to, gapSeconds, label, onCursor } = props
  const { place, size } = useSize()
  const [cursor, setCursor] = useState<number | null>(null)
  const show = (index: number | null) => {
    setCursor(index)
    onCursor(index)
  }
  const follow = ({ clientX, currentTarget }: PointerEvent<SVGSVGElement>) => {
    const box = currentTarget.getBoundingClientRect()
    const part = (clientX - box.left - edge.left) / (box.width - edge.left - edge.right)
    show(
      nearest(
        points.map(({ at }) => at),
        from + part * (to - from),
      ),
    )
  }
  const scales = size === null ? null : scalesOf(size, props)
  const places = points.flatMap(({ at, used }, index): (Point | null)[] => {
    if (scales === null) return []
    const before = points[index - 1]
    const isGap = before !== undefined && at - before.at > gapSeconds
    const point: Point = [scales.x(at), scales.y(used)]
    return isGap ? [null, point] : [point]
  })
  const runs = runsOf(places)
  const under = cursor === null ? undefined : points[cursor]
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
            {timeTicks(from, to, scales.inner.width / tickSpace.x).map((at) => (
              <text
                key={at}
                x={scales.x(at)}
                y={scales.ground + 17}
                textAnchor={scales.x(at) > size.width - 2 * edge.right ? 'end' : 'middle'}
              >
                {dayText(new Date(at * 1000))}
              </text>
            ))}
          </g>
          <path
            d={areaPath(runs, scales.ground)}
            className="fill-[color-mix(in_srgb,var(--cache)_28%,var(--panel))]"
          />
          <path d={linePath(runs)} className="stroke-cache" strokeWidth="1.5" fill="none" />
          {scales.showsLimit && (
            <g aria-hidden="true">
              <path
                d={`M${edge.left},${scales.y(limit)}H${edge.left + scales.inner.width}`}
                className="stroke-fetched"
                strokeDasharray="5 4"
              />
              <text x={edge.left + 6} y={scales.y(limit) + 14} className="fill-dim">
                {t('growth.limit', { bytes: byteText(limit) })}
              </text>
            </g>
          )}
          {under !== undefined && (
            <g aria-hidden="true" strokeWidth="1.5">
              <path
                d={`M${scales.x(under.at)},${edge.top}V${scales.ground}`}
                className="stroke-edge"
                strokeDasharray="3 3"
              />
              <circle
                cx={scales.x(under.at)}
                cy={scales.y(under.used)}
                r="3.5"
                className="fill-panel stroke-cache"
              />
            </g>
          )}
        </svg>
      )}
    </div>
  )
}
