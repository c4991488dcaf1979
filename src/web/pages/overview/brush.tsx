import { useEffect, useRef, useState, type KeyboardEvent } from 'react'
import { useNow } from '../../app/clock.ts'
import { edge } from '../../components/flow/chart-frame.tsx'
import { nearest } from '../../components/flow/paths.ts'
import { periodText } from '../../format/times.ts'
import { t } from '../../locales/translate.ts'
import { brushed, keyStep, type Part } from './brush-part.ts'

interface BrushProps {
  /** Ends of the x axis, Unix seconds. */
  from: number
  to: number
  /** Ascending; keys move from one to the next. */
  moments: readonly number[]
  onCursor: (index: number | null) => void
  onPart: (part: { from: number; to: number }) => void
}

/** A pointer that moves less has clicked, pixels. */
const clickPixels = 5

/** Selects a part of the chart below it: drag, or arrow keys with Shift, then Enter. */
export function Brush({ from, to, moments, onCursor, onPart }: BrushProps) {
  const place = useRef<HTMLDivElement>(null)
  const [part, setPart] = useState<Part | null>(null)
  const [cursor, setCursor] = useState<number | null>(null)
  const finish = (chosen: Part | null) => {
    setPart(null)
    if (chosen !== null) onPart(brushed(chosen))
  }
  // The chart itself follows the pointer, so this listens where both are inside.
  const latest = useRef({ from, to, finish })
  useEffect(() => {
    latest.current = { from, to, finish }
  })
  useEffect(() => {
    const frame = place.current?.parentElement
    if (!frame) return undefined
    let start: { at: number; x: number } | null = null
    let chosen: Part | null = null
    const momentAt = ({ clientX }: PointerEvent) => {
      const { left, width } = frame.getBoundingClientRect()
      const share = (clientX - left - edge.left) / (width - edge.left - edge.right)
      const { from: first, to: last } = latest.current
      return first + Math.min(1, Math.max(0, share)) * (last - first)
    }
    const listeners = {
      pointerdown: (event: PointerEvent) => {
        if (event.button === 0) start = { at: momentAt(event), x: event.clientX }
      },
      pointermove: (event: PointerEvent) => {
        if (start === null) return
        if (chosen === null && Math.abs(event.clientX - start.x) < clickPixels) return
        frame.setPointerCapture(event.pointerId)
        chosen = { anchor: start.at, end: momentAt(event) }
        setPart(chosen)
      },
      pointerup: () => {
        latest.current.finish(chosen)
        start = chosen = null
      },
      pointercancel: () => {
        start = chosen = null
        setPart(null)
      },
    }
    const all = new AbortController()
    for (const [kind, listener] of Object.entries(listeners)) {
      // The names of the listeners are kinds of pointer events.
      frame.addEventListener(kind as 'pointerdown', listener, { signal: all.signal })
    }
    // Sideways it selects, up and down it scrolls.
    frame.style.touchAction = 'pan-y'
    frame.style.userSelect = 'none'
    return () => all.abort()
  }, [])
  const move = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && part !== null) finish(part)
    else if (event.key === 'Escape' && part !== null) setPart(null)
    else {
      const next = keyStep(event.key, cursor ?? moments.length - 1, moments.length)
      const at = next === null ? undefined : moments[next]
      if (next === null || at === undefined) return
      setCursor(next)
      onCursor(next)
      const anchor = part?.anchor ?? moments[cursor ?? moments.length - 1] ?? at
      setPart(event.shiftKey ? { anchor, end: at } : null)
    }
    event.preventDefault()
  }
  const leave = () => {
    setPart(null)
    setCursor(null)
    onCursor(null)
  }
  const now = useNow(60_000)
  const at = cursor === null ? undefined : moments[cursor]
  const share = (moment: number) => `${((moment - from) / Math.max(1, to - from)) * 100}%`
  const ends = part === null ? null : brushed(part)
  const text =
    ends === null ? '' : periodText(new Date(ends.from * 1000), new Date(ends.to * 1000), now)
  return (
    <div
      ref={place}
      role="slider"
      tabIndex={0}
      aria-label={t('flow.brush')}
      aria-valuemin={0}
      aria-valuemax={Math.max(0, moments.length - 1)}
      aria-valuenow={cursor ?? Math.max(0, nearest(moments, to) ?? 0)}
      aria-valuetext={
        text ||
        (at === undefined
          ? t('flow.brush')
          : periodText(new Date(at * 1000), new Date(at * 1000), now))
      }
      className="pointer-events-none absolute rounded-[4px]"
      style={{ left: edge.left, right: edge.right, top: edge.top, bottom: edge.bottom }}
      onKeyDown={move}
      onBlur={leave}
    >
      {at !== undefined && (
        <span
          aria-hidden="true"
          className="absolute inset-y-0 border-l border-dashed border-edge"
          style={{ left: share(at) }}
        />
      )}
      {part !== null && (
        <span
          aria-hidden="true"
          className="absolute inset-y-0 border-x border-cache bg-cache/15"
          style={{
            left: share(Math.min(part.anchor, part.end)),
            right: `calc(100% - ${share(Math.max(part.anchor, part.end))})`,
          }}
        >
          <span className="figure absolute top-1 left-1/2 -translate-x-1/2 rounded-control bg-panel px-2 py-0.5 text-tiny whitespace-nowrap">
            {text}
          </span>
        </span>
      )}
    </div>
  )
}
