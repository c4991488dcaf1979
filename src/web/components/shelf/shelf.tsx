import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useLayoutEffect, useEffect, useRef, useState, type KeyboardEvent } from 'react'
import { gap, gridOf, nextTile } from './grid.ts'
import type { ShelfItem } from './items.ts'
import { Tile } from './tile.tsx'

interface ShelfProps {
  label: string
  items: readonly ShelfItem[]
  selected: ReadonlySet<string>
  onToggle: (key: string) => void
  /** Shows more of a game. */
  onOpen?: (key: string) => void
}

/** Width of the element, and its distance from the top of the page. */
function usePlace(frame: React.RefObject<HTMLDivElement | null>) {
  const [place, setPlace] = useState({ width: 0, top: 0 })
  useLayoutEffect(() => {
    const { current } = frame
    if (current === null) return undefined
    const measure = () => {
      const { width, top } = current.getBoundingClientRect()
      const next = { width: Math.floor(width), top: Math.round(top + scrollY) }
      setPlace((last) => (last.width === next.width && last.top === next.top ? last : next))
    }
    measure()
    // The page's height changes when something above becomes higher.
    const observer = new ResizeObserver(measure)
    observer.observe(current)
    observer.observe(document.body)
    return () => observer.disconnect()
  }, [frame])
  return place
}

/** Covers of games, of which any number can be chosen; only the visible ones exist. */
export function Shelf({ label, items, selected, onToggle, onOpen }: ShelfProps) {
  const frame = useRef<HTMLDivElement>(null)
  const { width, top } = usePlace(frame)
  const { columns, coverHeight, rowHeight } = gridOf(width)
  const [active, setActive] = useState(0)
  const wantsFocus = useRef(false)
  const count = items.length
  const current = Math.min(active, Math.max(0, count - 1))
  // oxlint-disable-next-line react/incompatible-library -- we do not memoise what it returns
  const virtual = useWindowVirtualizer({
    count: width === 0 ? 0 : Math.ceil(count / columns),
    estimateSize: () => rowHeight,
    overscan: 3,
    scrollMargin: top,
  })
  useLayoutEffect(() => virtual.measure(), [virtual, rowHeight])
  useEffect(() => {
    if (!wantsFocus.current) return
    const tile = frame.current?.querySelector<HTMLElement>(
      `[data-index="${current}"] [role=checkbox]`,
    )
    if (tile === null || tile === undefined) return
    wantsFocus.current = false
    tile.focus({ preventScroll: true })
  })
  const onKey = (event: KeyboardEvent) => {
    const next = nextTile(event.key, current, { columns, count })
    if (next === null) return
    event.preventDefault()
    wantsFocus.current = true
    setActive(next)
    virtual.scrollToIndex(Math.floor(next / columns), { align: 'auto' })
  }
  const rows = virtual.getVirtualItems()
  return (
    <div ref={frame} onKeyDown={onKey}>
      <ul aria-label={label} className="relative" style={{ height: virtual.getTotalSize() }}>
        {rows.flatMap(({ index: row, start }) =>
          items.slice(row * columns, (row + 1) * columns).map((item, column) => {
            const index = row * columns + column
            return (
              <li
                key={item.key}
                data-index={index}
                aria-setsize={count}
                aria-posinset={index + 1}
                className="absolute scroll-mb-28"
                style={{
                  width: (width - gap * (columns - 1)) / columns,
                  left: (column * (width + gap)) / columns,
                  top: start - top,
                }}
              >
                <Tile
                  item={item}
                  coverHeight={coverHeight}
                  isSelected={selected.has(item.key)}
                  isCurrent={index === current}
                  onToggle={() => onToggle(item.key)}
                  onFocus={() => setActive(index)}
                  onOpen={onOpen && (() => onOpen(item.key))}
                />
              </li>
            )
          }),
        )}
      </ul>
    </div>
  )
}
