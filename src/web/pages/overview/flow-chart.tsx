import { useEffect, useRef } from 'react'
import uPlot from 'uplot'
import { onThemeChange } from '../../app/theme.ts'
import { rateAmount } from '../../format/numbers.ts'
import { clockText, dayText } from '../../format/times.ts'
import type { Series } from '../../live/samples.ts'

interface FlowChartProps {
  series: Series
  /** Span of the x axis, Unix seconds. */
  from: number
  to: number
  label: string
  onCursor: (index: number | null) => void
}

const daySeconds = 86_400
/** The y axis never shows less than this, bytes per second: noise is not a mountain. */
const topMin = 1_000_000
const axisFont = '11px "Inter Variable", sans-serif'

interface Ink {
  cache: string
  fetched: string
  line: string
  dim: string
  panel: string
}

function readInk(): Ink {
  const style = getComputedStyle(document.documentElement)
  const of = (name: string) => style.getPropertyValue(`--${name}`).trim()
  return {
    cache: of('cache'),
    fetched: of('fetched'),
    line: of('line'),
    dim: of('dim'),
    panel: of('panel'),
  }
}

const tint = (colour: string, percent: number, ground: string) =>
  `color-mix(in srgb, ${colour} ${percent}%, ${ground})`

function tickText(at: number, span: number): string {
  const date = new Date(at * 1000)
  return span > 2 * daySeconds ? dayText(date) : clockText(date)
}

function optionsOf(ink: Ink, size: { width: number; height: number }): uPlot.Options {
  return {
    ...size,
    padding: [8, 14, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 7, fill: ink.panel } },
    scales: {
      x: { time: true },
      y: { range: (_plot, _min, max) => [0, Math.max(topMin, max * 1.08)] },
    },
    axes: [
      {
        stroke: ink.dim,
        font: axisFont,
        size: 24,
        gap: 4,
        space: 84,
        grid: { show: false },
        ticks: { show: false },
        values: (plot, ticks) => {
          const { min = 0, max = 0 } = plot.scales['x'] ?? {}
          return ticks.map((at) => tickText(at, max - min))
        },
      },
      {
        stroke: ink.dim,
        font: axisFont,
        size: 62,
        gap: 8,
        space: 52,
        grid: { stroke: ink.line, width: 1 },
        ticks: { show: false },
        values: (_plot, ticks) =>
          ticks.map((rate) => {
            const { value, unit } = rateAmount(rate)
            return rate === 0 ? '0' : `${value.replace(/[.,]0+$/, '')} ${unit}`
          }),
      },
    ],
    series: [
      {},
      { stroke: ink.fetched, width: 1.5, points: { show: false } },
      {
        stroke: ink.cache,
        width: 1.5,
        fill: tint(ink.cache, 28, ink.panel),
        points: { show: false },
      },
    ],
    bands: [{ series: [1, 2], fill: tint(ink.fetched, 26, ink.panel) }],
  }
}

/** The total lies below, so that what came from the cache stays visible where both are equal. */
const columnsOf = ([at, cached, total]: Series): Series => [at, total, cached]

/** Draws the two columns as areas; size, theme and data are followed without a new chart. */
export function FlowChart({ series, from, to, label, onCursor }: FlowChartProps) {
  const place = useRef<HTMLDivElement>(null)
  const chart = useRef<uPlot | null>(null)
  const latest = useRef({ series, from, to, onCursor })

  useEffect(() => {
    const element = place.current
    if (element === null) return undefined
    const sizeOf = () => ({ width: element.clientWidth, height: element.clientHeight })
    const draw = () => {
      chart.current?.destroy()
      const options = optionsOf(readInk(), sizeOf())
      options.hooks = {
        setCursor: [({ cursor }) => latest.current.onCursor(cursor.idx ?? null)],
      }
      const { series: data, from: min, to: max } = latest.current
      chart.current = new uPlot(options, columnsOf(data), element)
      chart.current.setScale('x', { min, max })
    }
    draw()
    const observer = new ResizeObserver(() => chart.current?.setSize(sizeOf()))
    observer.observe(element)
    const stopTheme = onThemeChange(draw)
    return () => {
      observer.disconnect()
      stopTheme()
      chart.current?.destroy()
      chart.current = null
    }
  }, [])

  useEffect(() => {
    latest.current = { series, from, to, onCursor }
    const plot = chart.current
    if (plot === null) return
    plot.batch(() => {
      plot.setData(columnsOf(series), false)
      plot.setScale('x', { min: from, max: to })
    })
  }, [series, from, to, onCursor])

  return <div ref={place} role="img" aria-label={label} className="absolute inset-0" />
}
