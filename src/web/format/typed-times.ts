import { formatter } from './times.ts'

const day = { day: '2-digit', month: '2-digit', year: 'numeric', timeZone: 'UTC' } as const

/** A day `YYYY-MM-DD` in the order of the region; the text itself when it is none. */
export function dayInputText(text: string): string {
  const at = Date.parse(`${text}T00:00Z`)
  return Number.isNaN(at) ? text : formatter(day).format(at)
}

/** `YYYY-MM-DD` of a day typed in the order of the region or of ISO 8601; null when it is none. */
export function parseDay(text: string): string | null {
  const numbers = text.split(/\D+/).filter(Boolean)
  if (numbers.length !== 3) return null
  const order = formatter(day)
    .formatToParts(0)
    .flatMap(({ type }) => (type in day ? [type] : []))
  const isIso = numbers[0]?.length === 4
  const of = (wanted: 'year' | 'month' | 'day') =>
    numbers[(isIso ? ['year', 'month', 'day'] : order).indexOf(wanted)] ?? ''
  const year = of('year').length === 2 ? `20${of('year')}` : of('year')
  const iso = `${year}-${of('month').padStart(2, '0')}-${of('day').padStart(2, '0')}`
  const at = new Date(`${iso}T00:00Z`)
  return at.getTime() > 0 && at.toISOString().startsWith(iso) ? iso : null
}

/** `HH:mm` of a typed time: `9`, `9:30`, `0930`, `21.30`, `9:30 pm`; null when it is none. */
export function parseTime(text: string): string | null {
  const typed = /^(\d{1,2})(?:[:.h]?(\d{2}))?(?:([ap])\.?m\.?)?$/i
  const [, first, minute = '00', half] = typed.exec(text.replace(/\s/g, '')) ?? []
  if (first === undefined || Number(minute) > 59) return null
  const hour = Number(first)
  if (half === undefined) return hour > 23 ? null : `${first.padStart(2, '0')}:${minute}`
  if (hour < 1 || hour > 12) return null
  const ofDay = (hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0)
  return `${String(ofDay).padStart(2, '0')}:${minute}`
}
