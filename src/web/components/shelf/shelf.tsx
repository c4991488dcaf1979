import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useLayoutEffect, useEffect, useRef, useState, type KeyboardEvent, useId } from 'react'
import type { ShelfItem } from './items.ts'
import { clsx } from 'clsx'
import { Check, Info } from 'lucide-react'
import { byteText } from '../../format/numbers.ts'
import { t } from '../../locales/translate.ts'
import { Artwork } from '../artwork.tsx'
import { Dot } from '../figures.tsx'

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

/** Least width of a tile, and the space between two. */
const tileMin = 158
const gap = 12
/** Of the images that the platforms have: 460 by 215 pixels. */
const coverRatio = 215 / 460
/** Of the two lines below the cover. */
const captionHeight = 54

/** How many tiles stand side by side, and how high they are; sizes are fixed, so nothing moves. */
function gridOf(width: number) {
  const columns = Math.max(1, Math.floor((width + gap) / (tileMin + gap)))
  const tileWidth = (width - gap * (columns - 1)) / columns
  const coverHeight = Math.round(tileWidth * coverRatio)
  return {
    columns,
    coverHeight,
    /** With the gap. */
    rowHeight: coverHeight + captionHeight + gap,
  }
}

const rowsPerPage = 4

/** The tile that a key moves to, or null for other keys. */
function nextTile(
  key: string,
  current: number,
  { columns, count }: { columns: number; count: number },
): number | null {
  const steps = new Map([
    ['ArrowRight', 1],
    ['ArrowLeft', -1],
    ['ArrowDown', columns],
    ['ArrowUp', -columns],
    ['PageDown', columns * rowsPerPage],
    ['PageUp', -columns * rowsPerPage],
    ['Home', -count],
    ['End', count],
  ])
  const by = steps.get(key)
  if (by === undefined || count === 0) return null
  return Math.min(count - 1, Math.max(0, current + by))
}

interface TileProps {
  item: ShelfItem
  coverHeight: number
  isSelected: boolean
  /** Reached by the tabulator key. */
  isCurrent: boolean
  onToggle: () => void
  onFocus: () => void
  /** Absent: there is nothing more to show of it. */
  onOpen: (() => void) | undefined
}

/** A cover with its state and size; a click chooses it. */
function Tile(props: TileProps) {
  const { item, coverHeight, isSelected, isCurrent, onToggle, onFocus, onOpen } = props
  const { name, service, image, badge, note, bytes, isOff = false, percent = null } = item
  const id = useId()
  const line = [bytes === null ? '' : byteText(bytes), note].filter((part) => part !== '')
  return (
    <div className="group relative">
      <button
        type="button"
        role="checkbox"
        aria-checked={isSelected}
        aria-labelledby={`${id}-name`}
        aria-describedby={`${id}-more`}
        aria-disabled={isOff}
        tabIndex={isCurrent ? 0 : -1}
        title={name}
        onFocus={onFocus}
        onClick={() => isOff || onToggle()}
        className={clsx('block w-full rounded-card text-left', isOff && 'cursor-default')}
      >
        <span
          className={clsx(
            'relative block overflow-hidden rounded-card border',
            isSelected ? 'border-cache outline-2 outline-cache' : 'border-line',
            isOff && 'opacity-55',
          )}
          style={{ height: coverHeight }}
        >
          <Artwork
            name={name}
            service={service}
            game={image}
            className={clsx('size-full', badge !== null && '[&>span]:mt-5')}
          />
          <span
            aria-hidden="true"
            className={clsx(
              'absolute top-1.5 right-1.5 grid size-[22px] place-items-center rounded-[6px] border',
              isSelected
                ? 'border-transparent bg-cache text-on-accent'
                : 'border-edge bg-panel/85 opacity-0 group-focus-within:opacity-100 group-hover:opacity-100',
              isOff && 'hidden',
            )}
          >
            {isSelected && <Check size={15} strokeWidth={3} />}
          </span>
          {percent !== null && (
            <span className="absolute inset-x-0 bottom-0 h-[5px] bg-panel/85">
              <span className="block h-full bg-cache" style={{ width: `${percent}%` }} />
            </span>
          )}
        </span>
        <span className="block h-[54px] pt-1.5">
          <span
            id={`${id}-name`}
            className="block truncate text-[13px] leading-5 font-medium pointer-coarse:pr-7"
          >
            {name}
          </span>
          <span id={`${id}-more`} className="figure block truncate text-small text-dim">
            {badge !== null && <span className="sr-only">{`${badge.label} · `}</span>}
            {line.join(' · ')}
          </span>
        </span>
      </button>
      {badge !== null && (
        <span
          aria-hidden="true"
          className="pointer-events-none absolute top-1.5 left-1.5 flex max-w-[75%] items-center gap-1.5 truncate rounded-[6px] bg-panel/90 px-1.5 py-0.5 text-tiny"
        >
          <Dot tone={badge.tone} pulsing={percent !== null} />
          {badge.label}
        </span>
      )}
      {onOpen !== undefined && (
        <button
          type="button"
          data-in-field
          aria-label={t('shelf.details', { name })}
          tabIndex={isCurrent ? 0 : -1}
          onClick={onOpen}
          className="absolute right-0 bottom-[30px] hidden size-6 place-items-center rounded-control bg-bg text-dim group-focus-within:grid group-hover:grid hover:text-text pointer-coarse:grid"
        >
          <Info size={15} />
        </button>
      )}
    </div>
  )
}
