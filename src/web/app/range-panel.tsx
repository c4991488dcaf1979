import { useState, useLayoutEffect, useRef, type KeyboardEvent } from 'react'
import { Button, Form } from '../components/form-controls.tsx'
import { MomentField } from '../components/moment-field.tsx'
import { inputValue, momentOf, dayIn } from '../format/times.ts'
import { t, region, type Key } from '../locales/translate.ts'
import { periodOf, spans, type Range } from './range.ts'
import { CalendarRange, X, ChevronLeft, ChevronRight, type LucideIcon } from 'lucide-react'
import { useEvents } from '../api/event-queries.ts'
import { Waiting } from '../components/card.tsx'
import { HueDot } from '../components/events/hue.tsx'
import { orderEvents } from './events/state.ts'
import { spanText } from './events/times.ts'
import { useNow } from './clock.ts'
import { firstWeekday } from '../format/weekday.ts'
import { addDays, addMonths, dayAfterKey, dayKey, dayOf, touches, weeksOf } from './events/month.ts'

interface RangePanelProps {
  value: Range
  onChange: (range: Range) => void
}

/** Choices of a range: spans that end now, two moments, an event. */
export function RangePanel({ value, onChange }: RangePanelProps) {
  const tagged = value.event === undefined ? {} : { event: value.event }
  return (
    <>
      <ul className="grid grid-cols-2 gap-0.5">
        {spans.map((span) => (
          <li key={span}>
            <button
              type="button"
              aria-current={'span' in value && value.span === span}
              className="w-full rounded-control px-3 py-2 text-left text-[13px] hover:bg-raise aria-[current=true]:bg-raise aria-[current=true]:font-semibold"
              onClick={() => onChange({ ...tagged, span })}
            >
              {t(`range.span.${span}`)}
            </button>
          </li>
        ))}
      </ul>
      <CustomRange
        key={JSON.stringify(value)}
        value={value}
        onChange={(range) => onChange({ ...range, ...tagged })}
      />
      <EventFilter value={value} onChange={onChange} />
    </>
  )
}

/** Initial field values: the current range; for all time the last day. */
function inputsOf(range: Range): { from: string; to: string } {
  const now = new Date()
  const period = periodOf(range, now) ?? periodOf({ span: '24h' }, now)
  const textOf = (seconds: number | undefined) =>
    inputValue(seconds === undefined ? now : new Date(seconds * 1000))
  return { from: textOf(period?.startTime), to: textOf(period?.endTime) }
}

/** Two moments in the user's time zone. */
function CustomRange({ value, onChange }: RangePanelProps) {
  const [first] = useState(() => inputsOf(value))
  const [from, setFrom] = useState(first.from)
  const [to, setTo] = useState(first.to)
  const start = momentOf(from).getTime() / 1000
  const stop = momentOf(to).getTime() / 1000
  const isValid = stop > start
  const submit = () => {
    if (isValid) onChange({ from: start, to: stop })
  }
  return (
    <Form onSubmit={submit} className="mt-1.5 space-y-2 border-t border-line p-2 pt-3">
      <MonthGrid first={from.slice(0, 10)} last={to.slice(0, 10)} onDays={onChange} />
      <MomentField label={t('range.from')} value={from} onChange={setFrom} />
      <MomentField label={t('range.to')} value={to} onChange={setTo} />
      <Button type="submit" disabled={!isValid} className="w-full justify-center">
        {isValid ? t('range.apply') : t('range.order')}
      </Button>
    </Form>
  )
}

/** More than fit into the panel; older ones are on their own page. */
const shownMax = 50

const seconds = (text: string) => Math.floor(new Date(text).getTime() / 1000)

/** Part of the range panel: only an event's downloads, or its span of time. */
function EventFilter({ value, onChange }: { value: Range; onChange: (range: Range) => void }) {
  const now = useNow(60_000)
  const { data } = useEvents()
  const events = orderEvents(data ?? [], now).slice(0, shownMax)
  const { event: chosen, ...rest } = value
  return (
    <section aria-label={t('filter.event')} className="mt-1.5 border-t border-line p-2 pt-3">
      <h3 className="mb-1 flex h-6 items-center text-small text-dim">
        {t('filter.event')}
        {chosen !== undefined && (
          <button
            type="button"
            className="ml-auto flex items-center gap-1 hover:text-text"
            onClick={() => onChange('span' in rest && rest.span === 'all' ? { span: '24h' } : rest)}
          >
            <X size={13} />
            {t('filter.clear')}
          </button>
        )}
      </h3>
      {data === undefined && <Waiting rows={2} />}
      {data !== undefined && events.length === 0 && (
        <p className="text-small text-dim">{t('filter.noEvents')}</p>
      )}
      <ul className="-mx-1 max-h-[150px] overflow-y-auto">
        {events.map((event) => (
          <li key={event.id} className="flex items-center gap-0.5">
            <button
              type="button"
              aria-pressed={event.id === chosen}
              className="flex min-w-0 flex-1 items-center gap-2.5 rounded-control px-2 py-1.5 text-left text-[13px] hover:bg-raise aria-[pressed=true]:bg-raise aria-[pressed=true]:font-semibold"
              onClick={() => onChange({ span: 'all', event: event.id })}
            >
              <HueDot index={event.colorIndex} />
              <span className="truncate">{event.name}</span>
            </button>
            <button
              type="button"
              title={`${t('filter.eventTime')}: ${spanText(event, now)}`}
              aria-label={`${t('filter.eventTime')}: ${event.name}`}
              className="rounded-control p-2 text-dim hover:bg-raise hover:text-text"
              onClick={() =>
                onChange({ from: seconds(event.startTimeUtc), to: seconds(event.endTimeUtc) })
              }
            >
              <CalendarRange size={14} />
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** From the first second of one day to the last of the other, in either order, Unix seconds. */
export function wholeDays(one: Date, other: Date): { from: number; to: number } {
  const [first, last] = one < other ? [one, other] : [other, one]
  const startOf = (day: Date) => momentOf(`${dayKey(day)}T00:00`).getTime() / 1000
  return { from: startOf(first), to: startOf(addDays(last, 1)) - 1 }
}

const format = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(region(), options)

interface MonthGridProps {
  /** The chosen days, `2026-11-21`. */
  first: string
  last: string
  onDays: (span: { from: number; to: number }) => void
}

/** A month in which two clicks choose the first and the last day; arrow keys move between days. */
export function MonthGrid({ first, last, onDays }: MonthGridProps) {
  const now = useNow(60_000)
  const today = dayOf(dayIn(now)) ?? now
  const [active, setActive] = useState(dayOf(last) ?? today)
  const [begun, setBegun] = useState<Date | null>(null)
  const body = useRef<HTMLDivElement>(null)
  const wantsFocus = useRef(false)
  useLayoutEffect(() => {
    if (!wantsFocus.current) return
    wantsFocus.current = false
    body.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus()
  })
  const month = addMonths(active, 0)
  const weeks = weeksOf(month, firstWeekday(region()))
  const chosen = begun === null ? { first, last } : { first: dayKey(begun), last: dayKey(begun) }
  const move = (event: KeyboardEvent) => {
    const next = dayAfterKey(event.key, active)
    if (next === null) return
    event.preventDefault()
    wantsFocus.current = true
    setActive(next > today ? today : next)
  }
  const press = (day: Date) => {
    setActive(day)
    if (begun === null) setBegun(day)
    else onDays(wholeDays(begun, day))
  }
  const format = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(region(), options)
  const [weekday, name] = [format({ weekday: 'narrow' }), format({ dateStyle: 'full' })]
  const hint = t(begun === null ? 'range.chooseFirst' : 'range.chooseLast')
  return (
    <div>
      <MonthHead month={month} today={today} onMonth={setActive} />
      <div aria-hidden="true" className="grid grid-cols-7 py-1 text-center text-tiny text-dim">
        {weeks[0]?.map((day) => (
          <span key={dayKey(day)}>{weekday.format(day)}</span>
        ))}
      </div>
      <div
        ref={body}
        role="group"
        aria-label={hint}
        className="grid grid-cols-7 gap-y-0.5"
        onKeyDown={move}
      >
        {weeks.flat().map((day) => (
          <button
            key={dayKey(day)}
            type="button"
            aria-label={name.format(day)}
            aria-pressed={touches(chosen, day)}
            aria-current={dayKey(day) === dayKey(today) ? 'date' : undefined}
            tabIndex={dayKey(day) === dayKey(active) ? 0 : -1}
            disabled={day > today}
            className={dayClass}
            data-outside={day.getMonth() !== month.getMonth()}
            onClick={() => press(day)}
          >
            {day.getDate()}
          </button>
        ))}
      </div>
      <p aria-live="polite" className="mt-1.5 text-center text-small text-dim">
        {hint}
      </p>
    </div>
  )
}

interface MonthHeadProps {
  month: Date
  today: Date
  onMonth: (month: Date) => void
}

function MonthHead({ month, today, onMonth }: MonthHeadProps) {
  const arrow = (label: Key, months: number, Icon: LucideIcon) => {
    const goal = addMonths(month, months)
    return (
      <button
        type="button"
        aria-label={t(label)}
        className="grid size-8 place-items-center rounded-control hover:bg-raise disabled:opacity-40"
        disabled={goal > today}
        onClick={() => onMonth(goal)}
      >
        <Icon size={15} />
      </button>
    )
  }
  return (
    <div className="flex items-center justify-between">
      {arrow('range.monthBefore', -1, ChevronLeft)}
      <span aria-live="polite" className="text-[13px] font-medium">
        {format({ month: 'long', year: 'numeric' }).format(month)}
      </span>
      {arrow('range.monthAfter', 1, ChevronRight)}
    </div>
  )
}

const dayClass =
  'figure h-8 rounded-control text-[13px] hover:bg-raise disabled:opacity-40 aria-[current=date]:font-semibold aria-[current=date]:text-cache aria-pressed:rounded-none aria-pressed:bg-raise data-[outside=true]:text-dim'
