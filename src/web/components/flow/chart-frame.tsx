import { useState, type PointerEvent, type ReactNode, useLayoutEffect, useRef } from 'react'
import { nearest } from './paths.ts'
import { amountTicks } from './ticks.ts'

/** Space around the drawing area, in pixels. */
export const edge = { left: 62, right: 14, top: 14, bottom: 24 }
const tickSpace = { x: 84, y: 48 }

interface ChartFrameProps {
  label: string
  /** Range of the x axis: Unix seconds, or seconds since a start. */
  from: number
  to: number
  /** The value axis ends here. */
  top: number
  amountText: (amount: number) => string
  /** X axis marks for a desired number. */
  ticks: (wanted: number) => readonly number[]
  tickText: (at: number) => string
  /** Ascending; the pointer snaps to the nearest. */
  moments: readonly number[]
  onCursor: (index: number | null) => void
  /** The drawing; `index` is the moment under the pointer. */
  children: (plot: Plot, index: number | null) => ReactNode
}

function plotOf({ width, height }: Size, { from, to, top }: ChartFrameProps) {
  const [left, right] = [edge.left, width - edge.right]
  const [ceiling, ground] = [edge.top, height - edge.bottom]
  const x = (at: number) => left + ((at - from) / Math.max(1, to - from)) * (right - left)
  const y = (amount: number) => ceiling + (1 - Math.min(amount, top) / top) * (ground - ceiling)
  return {
    x,
    y,
    left,
    right,
    /** Pixel positions of the value axis' ends. */
    ceiling,
    ground,
    /** Value at the upper end. */
    top,
  }
}
/** Drawing area, in pixels. */
export type Plot = ReturnType<typeof plotOf>

/** Shared by all charts: measured size, both axes, and the moment under the pointer. */
export function ChartFrame(props: ChartFrameProps) {
  const { label, from, to, moments, onCursor, children } = props
  const { place, size } = useSize()
  const [cursor, setCursor] = useState<number | null>(null)
  const show = (index: number | null) => {
    setCursor(index)
    onCursor(index)
  }
  const follow = ({ clientX, currentTarget }: PointerEvent<SVGSVGElement>) => {
    const box = currentTarget.getBoundingClientRect()
    const share = (clientX - box.left - edge.left) / (box.width - edge.left - edge.right)
    show(nearest(moments, from + share * (to - from)))
  }
  const plot = size === null ? null : plotOf(size, props)
  const at = cursor === null ? undefined : moments[cursor]
  return (
    <div ref={place} className="absolute inset-0">
      {size !== null && plot !== null && (
        <svg
          role="img"
          aria-label={label}
          {...size}
          className="figure block text-[11px]"
          onPointerMove={follow}
          onPointerLeave={() => show(null)}
        >
          <Axes plot={plot} frame={props} />
          {children(plot, cursor)}
          {at !== undefined && (
            <path
              aria-hidden="true"
              d={`M${plot.x(at)},${plot.ceiling}V${plot.ground}`}
              className="stroke-edge"
              strokeWidth="1.5"
              strokeDasharray="3 3"
            />
          )}
        </svg>
      )}
    </div>
  )
}

function Axes({ plot, frame }: { plot: Plot; frame: ChartFrameProps }) {
  const { x, y, left, right, ceiling, ground, top } = plot
  return (
    <g aria-hidden="true" className="fill-dim">
      {amountTicks(top, (ground - ceiling) / tickSpace.y).map((amount) => (
        <g key={amount}>
          <path d={`M${left},${y(amount)}H${right}`} className="stroke-line" />
          <text x={left - 8} y={y(amount)} dy="0.32em" textAnchor="end">
            {amount === 0 ? '0' : frame.amountText(amount)}
          </text>
        </g>
      ))}
      {frame.ticks((right - left) / tickSpace.x).map((at) => (
        <text
          key={at}
          x={x(at)}
          y={ground + 17}
          // The last label would be cut off at the right edge.
          textAnchor={x(at) > right - edge.right ? 'end' : 'middle'}
        >
          {frame.tickText(at)}
        </text>
      ))}
    </g>
  )
}

interface Size {
  width: number
  height: number
}

/** A chart's measured size; null before the first measurement. */
function useSize() {
  const place = useRef<HTMLDivElement>(null)
  const [size, setSize] = useState<Size | null>(null)
  useLayoutEffect(() => {
    const element = place.current
    if (element === null) return undefined
    const measure = () => setSize({ width: element.clientWidth, height: element.clientHeight })
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return { place, size }
}
