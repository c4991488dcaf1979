import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { CalendarSync, ChartSpline, ChevronLeft, ChevronRight, Plus } from 'lucide-react'
import { useEvents, type CalendarEvent } from '../../api/event-queries.ts'
import { useIsAccount } from '../../api/queries.ts'
import { PageFrame } from '../../app/page-frame.tsx'
import { useNow } from '../../app/clock.ts'
import { Card, Notice, Pending } from '../../components/card.tsx'
import { choices, Segments, Button, optionsOf } from '../../components/form-controls.tsx'
import { region, t } from '../../locales/translate.ts'
import { SidePanel } from '../../components/side-panel.tsx'
import { Named } from '../../components/figures.tsx'
import { Calendar, type DatedEvent } from './calendar.tsx'
import { draftFor, draftOf, EventForm } from './event-form.tsx'
import { Feed } from './feed.tsx'
import { HueDot } from '../../components/events/hue.tsx'
import { EventList, StateMark } from './list.tsx'
import { addMonths, dayKey, dayOf, monthKey, touches } from '../../app/events/month.ts'
import { usePendingDeletes } from './pending-delete.ts'
import {
  eventsSearch,
  eventStates,
  comparedMax,
  type EventsSearch,
  type EventState,
} from '../../app/events/search.ts'
import { orderEvents } from '../../app/events/state.ts'
import { daysOf, spanText } from '../../app/events/times.ts'
import { dayIn } from '../../format/times.ts'

const route = getRouteApi('/events')

/**
 * As in the style sheet: in narrower windows bars have no names, so a day lists its events first.
 */
const isNarrow = () => matchMedia('(width < 48rem)').matches

/** Past, current and future events: month by month, or as a list. */
export function Page() {
  const search = route.useSearch()
  const navigate = useNavigate()
  const isAccount = useIsAccount()
  const now = useNow(60_000)
  const { data, error } = useEvents()
  const deleted = usePendingDeletes()
  const events = (data ?? [])
    .filter(({ id }) => !deleted.includes(id))
    .map((event) => ({ ...event, ...daysOf(event) }))
  // The user's day, in the browser's zone like all days of the calendar.
  const today = dayOf(dayIn(now)) ?? now
  const change = (part: EventsSearch) =>
    void navigate({
      to: '/events',
      search: eventsSearch({ ...search, ...part }),
      resetScroll: false,
    })
  const month = (search.month === undefined ? null : dayOf(search.month)) ?? addMonths(today, 0)
  const showMonth = (next: Date) => {
    const key = monthKey(next)
    change({ month: key === monthKey(today) ? undefined : key, day: undefined })
  }
  const onDay = (day: Date) => {
    const isAsked = !isAccount || isNarrow()
    change({ day: dayKey(day), open: isAsked ? undefined : 'new' })
  }
  const compared = orderEvents(events, now).slice(0, Math.min(2, comparedMax))
  return (
    <PageFrame
      title={t('nav.events')}
      tools={
        isAccount && (
          <Button onClick={() => change({ open: 'new', day: undefined })}>
            <Plus size={15} />
            <span className="max-sm:sr-only">{t('events.new')}</span>
          </Button>
        )
      }
    >
      <div className="mb-3 flex flex-wrap items-center gap-2">
        {search.view === undefined ? (
          <MonthSteps month={month} today={today} onMonth={showMonth} />
        ) : (
          <StateChoice value={search.state} onChange={(state) => change({ state })} />
        )}
        <div className="ml-auto flex items-center gap-2">
          {events.length > 1 && (
            <Link
              to="/events/compare"
              search={{ ids: compared.map(({ id }) => id).join(',') }}
              className="control max-md:px-2.5"
            >
              <ChartSpline size={15} />
              <span className="max-md:sr-only">{t('events.compare')}</span>
            </Link>
          )}
          {isAccount && (
            <Button className="max-md:px-2.5" onClick={() => change({ open: 'feed' })}>
              <CalendarSync size={15} />
              <span className="max-md:sr-only">{t('events.feed')}</span>
            </Button>
          )}
          <Segments
            label={t('events.view')}
            value={search.view ?? 'calendar'}
            options={choices({ calendar: 'events.viewCalendar', list: 'events.viewList' })}
            onChange={(view) => change({ view: view === 'list' ? 'list' : undefined })}
          />
        </div>
      </div>
      {data === undefined ? (
        <div className="card">
          <Pending isList error={error} rows={8} />
        </div>
      ) : search.view === 'list' ? (
        <EventList events={events} state={search.state} now={now} />
      ) : (
        <>
          <Calendar
            month={month}
            today={today}
            events={events}
            chosen={search.day}
            onDay={onDay}
            onMonth={showMonth}
          />
          {search.day === undefined ? (
            <MonthCard month={month} events={events} now={now} />
          ) : (
            search.open === undefined && (
              <DayCard
                day={search.day}
                events={events}
                now={now}
                onNew={isAccount ? () => change({ open: 'new' }) : null}
              />
            )
          )}
        </>
      )}
      <Panel now={now} onClose={() => change({ open: undefined })} />
    </PageFrame>
  )
}

interface MonthStepsProps {
  month: Date
  today: Date
  onMonth: (month: Date) => void
}

function MonthSteps({ month, today, onMonth }: MonthStepsProps) {
  const name = new Intl.DateTimeFormat(region(), { month: 'long', year: 'numeric' }).format(month)
  return (
    <div className="flex items-center gap-2">
      <Button
        className="px-2"
        aria-label={t('events.monthBefore')}
        onClick={() => onMonth(addMonths(month, -1))}
      >
        <ChevronLeft size={16} />
      </Button>
      <Button
        className="px-2"
        aria-label={t('events.monthAfter')}
        onClick={() => onMonth(addMonths(month, 1))}
      >
        <ChevronRight size={16} />
      </Button>
      <Button onClick={() => onMonth(addMonths(today, 0))}>{t('events.today')}</Button>
      <h2 aria-live="polite" className="px-1 text-[15px] font-semibold first-letter:uppercase">
        {name}
      </h2>
    </div>
  )
}

interface StateChoiceProps {
  value: EventState | undefined
  onChange: (state: EventState | undefined) => void
}

const StateChoice = ({ value, onChange }: StateChoiceProps) => (
  <Segments
    label={t('events.state')}
    value={value ?? 'all'}
    options={[
      { value: 'all', label: t('events.all') },
      ...optionsOf(eventStates, (state) => t(`events.state.${state}`)),
    ]}
    onChange={(state) => onChange(state === 'all' ? undefined : state)}
  />
)

interface DayCardProps {
  day: string
  events: readonly DatedEvent[]
  now: Date
  /** Null for guests. */
  onNew: (() => void) | null
}

/** One day's events by name, for small screens where the month shows none. */
function DayCard({ day: key, events, now, onNew }: DayCardProps) {
  const day = dayOf(key)
  if (day === null) return null
  const rows = orderEvents(
    events.filter((event) => touches(event, day)),
    now,
  )
  const title = new Intl.DateTimeFormat(region(), { dateStyle: 'full' }).format(day)
  const create = onNew !== null && (
    <Button className="h-8" onClick={onNew}>
      <Plus size={14} />
      {t('events.new')}
    </Button>
  )
  return (
    <Card title={title} action={create} className="mt-3">
      {rows.length === 0 && <Notice title={t('events.dayEmpty')} />}
      <Rows events={rows} now={now} />
    </Card>
  )
}

interface MonthCardProps {
  month: Date
  events: readonly DatedEvent[]
  now: Date
}

/** The month's events by name, where bars have none. */
function MonthCard({ month, events, now }: MonthCardProps) {
  const key = monthKey(month)
  const rows = orderEvents(
    events.filter(({ first, last }) => first.slice(0, 7) <= key && key <= last.slice(0, 7)),
    now,
  )
  return (
    <div className="card mt-3 px-[18px] py-2 md:hidden">
      {rows.length === 0 && <Notice title={t('events.monthEmpty')} className="py-6" />}
      <Rows events={rows} now={now} />
    </div>
  )
}

const Rows = ({ events, now }: { events: readonly CalendarEvent[]; now: Date }) => (
  <ul>
    {events.map((event) => (
      <li key={event.id} className="border-line not-last:border-b">
        <Link
          to="/events/$id"
          params={{ id: String(event.id) }}
          className="flex items-center gap-3 py-2.5"
        >
          <HueDot index={event.colorIndex} />
          <span className="min-w-0 flex-1">
            <Named name={event.name} note={spanText(event, now)} />
          </span>
          <span className="text-small text-dim">
            <StateMark event={event} now={now} />
          </span>
        </Link>
      </li>
    ))}
  </ul>
)

/** The form or the feed next to the calendar. */
function Panel({ now, onClose }: { now: Date; onClose: () => void }) {
  const { open, day } = route.useSearch()
  const isAccount = useIsAccount()
  const { data: events } = useEvents()
  const event = events?.find(({ id }) => String(id) === open)
  const title = open === 'feed' ? t('events.feed') : (event?.name ?? t('events.new'))
  const start = (day === undefined ? null : dayOf(day)) ?? dayOf(dayIn(now)) ?? now
  return (
    <SidePanel isInAddress title={title} isOpen={isAccount && open !== undefined} onClose={onClose}>
      {open === 'feed' && <Feed />}
      {open === 'new' && (
        <EventForm key={day ?? ''} draft={draftFor(start, now)} event={null} onDone={onClose} />
      )}
      {event !== undefined && (
        <EventForm key={event.id} draft={draftOf(event)} event={event} onDone={onClose} />
      )}
      {open !== 'feed' && open !== 'new' && events !== undefined && event === undefined && (
        <Notice title={t('events.gone')} />
      )}
    </SidePanel>
  )
}
