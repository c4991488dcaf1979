import { agoText } from './times.ts'
import { region, t } from '../locales/translate.ts'

const minuteMs = 60_000
const units = [
  ['day', 24 * 60 * minuteMs],
  ['hour', 60 * minuteMs],
  ['minute', minuteMs],
] as const
/** Beyond this a date is shown. */
const daysMax = 60

/** `just now`, `4 min. ago`, `2 days ago`; a date beyond the limit. */
export function sinceText(then: Date, now: Date): string {
  const age = now.getTime() - then.getTime()
  const [unit, unitMs] = units.find(([, ms]) => age >= ms) ?? ['minute', minuteMs]
  if (age < minuteMs) return t('time.justNow')
  if (unit === 'day' && age > daysMax * unitMs) return agoText(then, now)
  const format = new Intl.RelativeTimeFormat(region(), { style: 'short' })
  return format.format(-Math.floor(age / unitMs), unit)
}
