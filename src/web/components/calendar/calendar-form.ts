import type { CustomSchedule } from '../../../core/settings/schedule-settings.ts'

export const rhythms = ['daily', 'weekdays', 'weekly', 'monthly', 'cron'] as const
export type Rhythm = (typeof rhythms)[number]

/** What the form shows; `cron` stands for every expression that has no form of its own. */
export interface CalendarForm {
  rhythm: Rhythm
  /** `HH:mm`. */
  time: string
  /** 0: Sunday. */
  weekday: number
  dayOfMonth: number
  expression: string
  zone: string
  hasWindow: boolean
  from: string
  until: string
}

const two = (text: string) => text.padStart(2, '0')
const plain = /^(\d{1,2}) (\d{1,2}) (\*|\d{1,2}) \* (\*|1-5|[0-6])$/

function rhythmOf(expression: string): Partial<CalendarForm> {
  const [, minute = '', hour = '', day = '', weekday = ''] = plain.exec(expression.trim()) ?? []
  if (minute === '') return { rhythm: 'cron' }
  const time = `${two(hour)}:${two(minute)}`
  if (day === '*' && weekday === '*') return { rhythm: 'daily', time }
  if (day === '*' && weekday === '1-5') return { rhythm: 'weekdays', time }
  if (day === '*') return { rhythm: 'weekly', time, weekday: Number(weekday) }
  if (weekday === '*') return { rhythm: 'monthly', time, dayOfMonth: Number(day) }
  return { rhythm: 'cron' }
}

/** The form of a schedule; without one, every night at four. */
export function formOf(calendar: CustomSchedule | null, zone: string): CalendarForm {
  const expression = calendar?.expression ?? '0 4 * * *'
  const [from, until] = [calendar?.windowStart ?? null, calendar?.windowEnd ?? null]
  return {
    rhythm: 'cron',
    time: '04:00',
    weekday: 1,
    dayOfMonth: 1,
    expression,
    zone: calendar?.timeZoneId ?? zone,
    hasWindow: from !== null && until !== null,
    from: from ?? '02:00',
    until: until ?? '06:00',
    ...rhythmOf(expression),
  }
}

function expressionOf({ rhythm, time, weekday, dayOfMonth, expression }: CalendarForm): string {
  if (rhythm === 'cron') return expression.trim()
  const [hour = 0, minute = 0] = time.split(':').map(Number)
  const at = `${minute} ${hour}`
  if (rhythm === 'daily') return `${at} * * *`
  if (rhythm === 'weekdays') return `${at} * * 1-5`
  return rhythm === 'weekly' ? `${at} * * ${weekday}` : `${at} ${dayOfMonth} * *`
}

/** The schedule of a form. */
export const calendarOf = (form: CalendarForm): CustomSchedule => ({
  expression: expressionOf(form),
  timeZoneId: form.zone.trim(),
  ...(form.hasWindow && { windowStart: form.from, windowEnd: form.until }),
})
