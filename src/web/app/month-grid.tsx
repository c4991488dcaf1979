import { ChevronLeft, ChevronRight, type LucideIcon } from 'lucide-react'
import { useLayoutEffect, useRef, useState, type KeyboardEvent } from 'react'
import { dayIn, momentOf } from '../format/times.ts'
import { firstWeekday } from '../format/weekday.ts'
import { region, t, type Key } from '../locales/translate.ts'
import { addDays, addMonths, dayAfterKey, dayKey, dayOf, touches, weeksOf } from './events/month.ts'
import { useNow } from './use-now.ts'

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
