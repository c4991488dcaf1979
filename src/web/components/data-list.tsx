import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { clsx } from 'clsx'
import {
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
  type KeyboardEvent,
  type ReactNode,
} from 'react'
import { ArrowDown, ArrowUp } from 'lucide-react'
import { nextRow } from './row-keys.ts'

export interface Column<Row> {
  /** Needed when the header is not unique, or a column choice refers to it. */
  id?: string
  header: string
  /** The header is for screen readers only: the cells are self-explanatory buttons. */
  isHeadHidden?: boolean
  /** Grid track: `minmax(0,2fr)`, `90px`. */
  width: string
  cell: (row: Row) => ReactNode
  align?: 'end'
  /** Narrower windows omit the column; numbers are omitted last. */
  from?: 'sm' | 'md' | 'lg' | 'xl'
  /** Orders available in the header: first click, second click. */
  sorts?: readonly [first: string, second?: string]
}

/** Rows with child rows: Right expands and Left collapses. */
export interface Branches<Row> {
  /** 1 at the top. */
  levelOf: (row: Row) => number
  /** Null without child rows. */
  isOpen: (row: Row) => boolean | null
  onToggle: (row: Row) => void
}

interface DataListProps<Row> {
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  rowKey: (row: Row) => string
  /** Called on Enter and on click. */
  onOpen: (row: Row) => void
  /** Number of rows before this page, for screen readers. */
  offset?: number
  /** Rows on all pages; defaults to those present. */
  total?: number
  sort?: string
  onSort?: (sort: string) => void
  /** The rows are from the previous query; the current one is loading. */
  isOld?: boolean
  branches?: Branches<Row>
}

/** Least height of a row; one with wrapping controls is higher. */
const rowHeight = 53
/** Controls inside a row, and places to type in: they get their own keys and clicks. */
const pressed = 'a,button'
const typing = 'input,select,textarea,[popover]'
const isWithin = (target: EventTarget, selector: string): boolean =>
  target instanceof Element && target.closest(selector) !== null
const minimums = { sm: 640, md: 768, lg: 1024, xl: 1280 } as const

/** State changed by an arrow key: Right expands what is collapsed. */
const toggledBy = new Map([
  ['ArrowRight', false],
  ['ArrowLeft', true],
])

const onToggle = (changed: () => void) => {
  document.addEventListener('toggle', changed, true)
  return () => document.removeEventListener('toggle', changed, true)
}
const isAnyOpen = () => document.querySelector('[role=rowgroup] [popover]:popover-open') !== null

/**
 * The rows; while a popover in one of them is open, those that were there before: a row that moves in
 * the document closes its popover, and what was typed is lost.
 */
function useHeldRows<Row>(rows: readonly Row[]): readonly Row[] {
  const isHeld = useSyncExternalStore(onToggle, isAnyOpen)
  const [held, setHeld] = useState(rows)
  if (!isHeld && held !== rows) setHeld(rows)
  return isHeld ? held : rows
}

/** Window width in steps, for showing and hiding columns. */
function useWindowWidth(): number {
  const [width, setWidth] = useState(innerWidth)
  useEffect(() => {
    const follow = () => setWidth(innerWidth)
    addEventListener('resize', follow)
    return () => removeEventListener('resize', follow)
  }, [])
  return width
}

/**
 * The list behind every table: virtual rows scrolling with the page, a sticky header, arrow keys,
 * Home, End, Page keys and Enter. The server sorts and pages; this component only displays and
 * requests.
 */
export function DataList<Row>(props: DataListProps<Row>) {
  const { label, columns, rowKey, onOpen, offset = 0, sort, onSort, isOld, branches } = props
  const rows = useHeldRows(props.rows)
  const body = useRef<HTMLDivElement>(null)
  const [margin, setMargin] = useState(0)
  const [active, setActive] = useState(0)
  const wantsFocus = useRef(false)
  const width = useWindowWidth()
  const shown = columns.filter(({ from }) => from === undefined || width >= minimums[from])
  const template = shown.map((column) => column.width).join(' ')
  // oxlint-disable-next-line react/incompatible-library -- we do not memoise what it returns
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => rowHeight,
    overscan: 12,
    scrollMargin: margin,
    getItemKey: (index) => {
      const row = rows[index]
      return row === undefined ? index : rowKey(row)
    },
  })
  useLayoutEffect(() => {
    const top = body.current?.getBoundingClientRect().top ?? 0
    setMargin(top + scrollY)
  }, [rows.length, width])
  const current = Math.min(active, Math.max(0, rows.length - 1))
  const items = virtual.getVirtualItems()
  useEffect(() => {
    if (!wantsFocus.current) return
    const row = body.current?.querySelector<HTMLElement>(`[data-index="${current}"]`)
    if (row === null || row === undefined) return
    wantsFocus.current = false
    row.focus({ preventScroll: true })
  })
  const onKey = (event: KeyboardEvent) => {
    const row = rows[current]
    if (isWithin(event.target, typing)) return
    if (event.key === 'Enter' && row !== undefined) {
      if (isWithin(event.target, pressed)) return
      event.preventDefault()
      onOpen(row)
      return
    }
    const toggled = toggledBy.get(event.key)
    if (row !== undefined && toggled !== undefined && branches?.isOpen(row) === toggled) {
      event.preventDefault()
      branches.onToggle(row)
      return
    }
    const next = nextRow(event.key, current, rows.length)
    if (next === null) return
    event.preventDefault()
    wantsFocus.current = true
    setActive(next)
    virtual.scrollToIndex(next, { align: 'auto' })
  }
  return (
    <div
      role={branches === undefined ? 'grid' : 'treegrid'}
      aria-label={label}
      aria-rowcount={(props.total ?? rows.length) + 1}
      aria-busy={isOld === true}
      className={clsx('transition-opacity', isOld === true && 'opacity-60')}
    >
      <div
        role="row"
        aria-rowindex={1}
        className="sticky top-0 z-20 grid items-center gap-3 rounded-t-card border-b border-line bg-panel px-[18px] text-small text-dim"
        style={{ gridTemplateColumns: template }}
      >
        {shown.map((column) => (
          <HeadCell key={column.id ?? column.header} column={column} sort={sort} onSort={onSort} />
        ))}
      </div>
      <div
        ref={body}
        role="rowgroup"
        onKeyDown={onKey}
        className="relative"
        style={{ height: virtual.getTotalSize() }}
      >
        {items.map(({ index, key, start }) => {
          const row = rows[index]
          if (row === undefined) return null
          return (
            <div
              key={key}
              ref={virtual.measureElement}
              role="row"
              data-index={index}
              aria-rowindex={offset + index + 2}
              aria-level={branches?.levelOf(row)}
              aria-expanded={branches?.isOpen(row) ?? undefined}
              tabIndex={index === current ? 0 : -1}
              onFocus={() => setActive(index)}
              onClick={(event) => {
                if (!isWithin(event.target, `${pressed},${typing}`)) onOpen(row)
              }}
              className="absolute inset-x-0 grid cursor-pointer scroll-mt-12 items-center gap-3 border-line px-[18px] not-last:border-b hover:bg-raise focus-visible:-outline-offset-2"
              style={{
                minHeight: rowHeight,
                gridTemplateColumns: template,
                transform: `translateY(${start - margin}px)`,
              }}
            >
              {shown.map((column) => (
                <div
                  key={column.id ?? column.header}
                  role="gridcell"
                  className={clsx('min-w-0 truncate', column.align === 'end' && 'text-right')}
                >
                  {column.cell(row)}
                </div>
              ))}
            </div>
          )
        })}
      </div>
    </div>
  )
}

interface HeadCellProps<Row> {
  column: Column<Row>
  sort: string | undefined
  onSort: ((sort: string) => void) | undefined
}

function HeadCell<Row>({ column, sort, onSort }: HeadCellProps<Row>) {
  const { header, sorts, align } = column
  const place = sorts?.findIndex((known) => known === sort) ?? -1
  const isDown = place === 0
  const ariaSort = place === -1 ? 'none' : isDown ? 'descending' : 'ascending'
  const Arrow = isDown ? ArrowDown : ArrowUp
  const next = isDown ? (sorts?.[1] ?? sorts?.[0]) : sorts?.[0]
  return (
    <div
      role="columnheader"
      aria-sort={ariaSort}
      className={clsx('truncate py-[7px]', align === 'end' && 'text-right')}
    >
      {next === undefined || onSort === undefined ? (
        <span className={clsx(column.isHeadHidden === true && 'sr-only')}>{header}</span>
      ) : (
        <button
          type="button"
          onClick={() => onSort(next)}
          className={clsx(
            'min-w-6 py-[3px] hover:text-text',
            align === 'end' ? 'text-right' : 'text-left',
            place !== -1 && 'font-medium text-text',
          )}
        >
          {header}
          {place !== -1 && <Arrow size={12} className="mb-0.5 ml-1 inline-block" />}
        </button>
      )}
    </div>
  )
}
