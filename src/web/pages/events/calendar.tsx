import { Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { useLayoutEffect, useRef, useState, type FocusEvent, type KeyboardEvent } from 'react'
import type { CalendarEvent } from '../../api/event-queries.ts'
import { firstWeekday } from '../../format/weekday.ts'
import { region, t, tn } from '../../locales/translate.ts'
import {
  addMonths,
  barsOf,
  dayAfterKey,
  dayKey,
  touches,
  weekNumber,
  weeksOf,
  type Bar,
  type Days,
} from '../../app/events/month.ts'
import { spanText } from '../../app/events/times.ts'

export type DatedEvent = CalendarEvent & Days

interface CalendarProps {
  month: Date
  today: Date
  events: readonly DatedEvent[]
  /** The day whose events are listed below. */
  chosen: string | undefined
  onDay: (day: Date) => void
  onMonth: (month: Date) => void
}

const lanesMax = 3
/** Week number, then seven days. */
const columns =
  'grid grid-cols-[30px_repeat(7,minmax(0,1fr))] md:grid-cols-[44px_repeat(7,minmax(0,1fr))]'

/** A month with bars for events and a button for each day; arrow keys move between days. */
export function Calendar(props: CalendarProps) {
  const { month, today, events, chosen, onDay, onMonth } = props
  const body = useRef<HTMLDivElement>(null)
  const wantsFocus = useRef(false)
  /** The last requested month, until it is rendered. */
  const asked = useRef<Date | null>(null)
  const weeks = weeksOf(month, firstWeekday(region()))
  const isShown = (day: Date) => day.getMonth() === month.getMonth()
  const [active, setActive] = useState(today)
  const inMonth = isShown(active) && active.getFullYear() === month.getFullYear()
  const reachable = inMonth ? active : month
  const onKey = (event: KeyboardEvent) => {
    const isDay = event.target instanceof HTMLElement && event.target.dataset['day'] !== undefined
    const isOnItsWay = asked.current !== null
    // Another month takes a moment to render; further keys continue from the requested day.
    const from = isOnItsWay ? active : reachable
    const next = isDay || isOnItsWay ? dayAfterKey(event.key, from) : null
    if (next === null) return
    event.preventDefault()
    setActive(next)
    wantsFocus.current = true
    const goal = addMonths(next, 0)
    if (dayKey(goal) === dayKey(asked.current ?? month)) return
    asked.current = goal
    onMonth(goal)
  }
  // Before painting: a key pressed after the old day is removed would have no target.
  useLayoutEffect(() => {
    if (asked.current !== null && dayKey(asked.current) === dayKey(month)) asked.current = null
    if (!wantsFocus.current) return
    if (asked.current !== null) {
      body.current?.focus()
      return
    }
    wantsFocus.current = false
    body.current?.querySelector<HTMLElement>(`[data-day="${dayKey(active)}"]`)?.focus()
  })
  const leave = (event: FocusEvent<HTMLDivElement>) => {
    const to = event.relatedTarget
    if (to === null || event.currentTarget.contains(to)) return
    asked.current = null
    wantsFocus.current = false
  }
  const weekday = new Intl.DateTimeFormat(region(), { weekday: 'short' })
  return (
    <div className="card overflow-hidden">
      <div className={clsx(columns, 'border-b border-line text-small text-dim')}>
        <span className="py-2 text-center text-tiny" title={t('events.weekNumber')}>
          {t('events.week')}
        </span>
        {(weeks[0] ?? []).map((day) => (
          <span key={dayKey(day)} className="px-1 py-2 max-md:text-center md:px-2.5">
            {weekday.format(day)}
          </span>
        ))}
      </div>
      <div
        ref={body}
        role="group"
        aria-label={t('events.calendar')}
        tabIndex={-1}
        className="outline-none"
        onKeyDown={onKey}
        onBlur={leave}
      >
        {weeks.map((week) => (
          <Week
            key={dayKey(week[0] ?? month)}
            week={week}
            events={events}
            today={today}
            chosen={chosen}
            month={month.getMonth()}
            reachable={dayKey(reachable)}
            onDay={(day) => {
              setActive(day)
              onDay(day)
            }}
          />
        ))}
      </div>
    </div>
  )
}

interface WeekProps {
  week: readonly Date[]
  events: readonly DatedEvent[]
  today: Date
  chosen: string | undefined
  month: number
  reachable: string
  onDay: (day: Date) => void
}

function Week({ week, events, today, chosen, month, reachable, onDay }: WeekProps) {
  const { bars, hidden } = barsOf(events, week, lanesMax)
  return (
    <div
      className={clsx(
        columns,
        'min-h-[58px] grid-rows-[28px_repeat(3,8px)_14px] border-line not-last:border-b md:min-h-[121px] md:grid-rows-[32px_repeat(3,26px)_minmax(16px,1fr)]',
      )}
    >
      <span className="figure col-start-1 row-start-1 py-1.5 text-center text-tiny text-dim">
        {weekNumber(week)}
      </span>
      {week.map((day, column) => {
        const key = dayKey(day)
        const name = new Intl.DateTimeFormat(region(), { dateStyle: 'full' }).format(day)
        const count = events.filter((event) => touches(event, day)).length
        const isToday = key === dayKey(today)
        return (
          <button
            key={key}
            type="button"
            data-day={key}
            tabIndex={key === reachable ? 0 : -1}
            aria-current={isToday ? 'date' : undefined}
            aria-label={count === 0 ? name : `${name}, ${tn('events.count', count)}`}
            onClick={() => onDay(day)}
            className={clsx(
              'row-span-full row-start-1 border-l border-line p-1.5 text-left align-top hover:bg-raise focus-visible:-outline-offset-2 md:p-2',
              'flex items-start justify-center md:justify-start',
              key === chosen && 'bg-raise',
            )}
            style={{ gridColumn: column + 2 }}
          >
            <span
              aria-hidden="true"
              className={clsx(
                'figure grid h-[20px] min-w-[20px] place-items-center rounded-full px-1 text-small leading-none',
                isToday && 'bg-cache font-semibold text-on-accent',
                !isToday && (day.getMonth() === month ? 'text-text' : 'text-dim'),
              )}
            >
              {day.getDate()}
            </span>
          </button>
        )
      })}
      {bars.map((bar) => (
        <BarLink key={bar.event.id} bar={bar} today={today} />
      ))}
      {hidden.map(
        (count, column) =>
          count > 0 && (
            <span
              key={`more ${column + 1}`}
              className="pointer-events-none row-start-5 px-1 text-tiny text-dim md:px-2.5"
              style={{ gridColumn: column + 2 }}
            >
              +{count}
              <span className="max-md:hidden"> {t('events.more')}</span>
            </span>
          ),
      )}
    </div>
  )
}

/** A thin line on phones; its name is in the day's list. */
function BarLink({ bar, today }: { bar: Bar<DatedEvent>; today: Date }) {
  const { event, column, days, lane, isCutBefore, isCutAfter } = bar
  return (
    <Link
      to="/events/$id"
      params={{ id: String(event.id) }}
      data-hue={event.colorIndex}
      title={`${event.name} · ${spanText(event, today)}`}
      className={clsx(
        'hue z-10 my-px flex min-w-0 items-center truncate bg-(--hue-soft) px-1.5 text-[12px] leading-none font-medium hover:bg-(--hue-mid)',
        'max-md:pointer-events-none max-md:h-[5px] max-md:bg-(--hue) max-md:px-0 md:h-6',
        isCutBefore ? 'ml-0' : 'ml-[3px] rounded-l-[5px] md:border-l-[3px] md:border-(--hue)',
        isCutAfter ? 'mr-0' : 'mr-[3px] rounded-r-[5px]',
      )}
      style={{ gridColumn: `${column + 2} / span ${days}`, gridRow: lane + 2 }}
    >
      <span className="truncate max-md:sr-only">{event.name}</span>
    </Link>
  )
}
