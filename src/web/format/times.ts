import { region, t } from '../locales/translate.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

const cache = new Map<string, Intl.DateTimeFormat>()

/** The user's time zone and hour cycle; empty means the browser's. */
export interface Clock {
  timeZone?: string
  hourCycle?: 'h23' | 'h12'
}
let clock: Clock = {}

/** All times formatted from now on use this clock. */
export function setClock(next: Clock): void {
  clock = next
  cache.clear()
}

/** The browser's own time zone. */
export const browserZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone

export function formatter(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${region()} ${JSON.stringify(options)}`
  const known = cache.get(key) ?? new Intl.DateTimeFormat(region(), { ...clock, ...options })
  cache.set(key, known)
  return known
}

const unitText = (value: number, unit: string) =>
  new Intl.NumberFormat(region(), { style: 'unit', unit, unitDisplay: 'short' }).format(value)

/** Elapsed time in one unit: `4 min`, `2 hr`, `now` below a minute. */
export function agoText(then: Date, now: Date): string {
  const age = now.getTime() - then.getTime()
  if (age < minuteMs) return t('time.now')
  if (age < hourMs) return unitText(Math.floor(age / minuteMs), 'minute')
  if (age < dayMs) return unitText(Math.floor(age / hourMs), 'hour')
  if (age < 60 * dayMs) return unitText(Math.floor(age / dayMs), 'day')
  return formatter({ dateStyle: 'medium' }).format(then)
}

export const clockText = (at: Date): string => formatter({ timeStyle: 'short' }).format(at)

/** Name of a day of the week; 0: Sunday. */
export const weekdayText = (day: number): string =>
  // 4 January 1970 was a Sunday.
  new Intl.DateTimeFormat(region(), { weekday: 'long', timeZone: 'UTC' }).format(
    new Date((3 + day) * dayMs),
  )

/** The day in a zone; without one in the user's. */
export const dayText = (at: Date, timeZone?: string): string =>
  formatter({ day: 'numeric', month: 'short', ...(timeZone && { timeZone }) }).format(at)

/** Whether two moments have the same day, month or year in the user's zone. */
const isSame = (options: Intl.DateTimeFormatOptions, a: Date, b: Date): boolean =>
  formatter(options).format(a) === formatter(options).format(b)

/** Today only the time, else the day too; the year only when it is not the current one. */
export function momentText(at: Date, now: Date): string {
  const time = { hour: '2-digit', minute: '2-digit' } as const
  if (isSame({ dateStyle: 'short' }, at, now)) return formatter(time).format(at)
  const isThisYear = isSame({ year: 'numeric' }, at, now)
  const year = isThisYear ? {} : ({ year: 'numeric' } as const)
  return formatter({ day: 'numeric', month: 'short', ...time, ...year }).format(at)
}

const isMinute = (text: string, at: Date): boolean =>
  formatter({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(at) === text

/** The last day of a period of whole days, which may end at midnight or a minute before; or null. */
function lastWholeDay(from: Date, to: Date): Date | null {
  if (!isMinute('00:00', from)) return null
  const last = isMinute('00:00', to) ? new Date(to.getTime() - 1) : to
  return isMinute('23:59', last) ? last : null
}

/** The day of a moment in the user's zone, `YYYY-MM-DD`. */
export const dayIn = (at: Date): string => inputValue(at).slice(0, 10)

/** Days `YYYY-MM-DD`, both included; the year only when it is not the current one. */
export function wholeDaysText(first: string, last: string, now: Date): string {
  const isShort = [first, last].every((day) => day.startsWith(dayIn(now).slice(0, 5)))
  const year = isShort ? {} : ({ year: 'numeric' } as const)
  const form = { day: 'numeric', month: 'short', ...year, timeZone: 'UTC' } as const
  // A day without a time is read as UTC.
  const [from = '', to = ''] = [first, last].map((day) => formatter(form).format(new Date(day)))
  return first === last ? t('time.allDay', { day: from }) : `${from} – ${to}`
}

/** A period in its shortest form: whole days have no times. */
export function periodText(from: Date, to: Date, now: Date): string {
  const last = lastWholeDay(from, to)
  if (last !== null) return wholeDaysText(dayIn(from), dayIn(last), now)
  const isShort = [from, to].every((at) => isSame({ year: 'numeric' }, at, now))
  if (isSame({ dateStyle: 'short' }, from, to)) return `${momentText(from, now)} – ${clockText(to)}`
  return isShort
    ? `${dayText(from)}, ${clockText(from)} – ${dayText(to)}, ${clockText(to)}`
    : `${momentText(from, now)} – ${momentText(to, now)}`
}

/** With seconds and the name of the zone. */
export const fullMomentText = (at: Date): string =>
  formatter({ dateStyle: 'full', timeStyle: 'long' }).format(at)

/** Two units at most: `1 hr 12 min`, `45 sec`. */
export function durationText(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds))
  if (whole < 60) return unitText(whole, 'second')
  const minutes = Math.floor(whole / 60)
  if (minutes < 60) return unitText(minutes, 'minute')
  const hours = Math.floor(minutes / 60)
  if (hours >= 48) return unitText(Math.floor(hours / 24), 'day')
  const rest = minutes % 60
  const head = unitText(hours, 'hour')
  return rest === 0 ? head : `${head} ${unitText(rest, 'minute')}`
}

/** Seconds from first to last byte; of a running download, up to now. */
export function lengthOf(
  download: { startTimeUtc: string; endTimeUtc: string; isActive: boolean },
  now: Date,
): number {
  const end = download.isActive ? now.getTime() : Date.parse(download.endTimeUtc)
  return (end - Date.parse(download.startTimeUtc)) / 1000
}

const daySeconds = 86_400

/** Time since a start: whole days as days, everything else to the hour, `+60 hr`. */
export function elapsedText(seconds: number): string {
  const isWholeDays = seconds % daySeconds === 0
  if (isWholeDays || seconds < 2 * daySeconds) return `+${durationText(seconds)}`
  return `+${unitText(Math.floor(seconds / 3600), 'hour')}`
}

const digits = {
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
} as const

/** A moment in the user's zone, `YYYY-MM-DDTHH:mm`. */
export function inputValue(at: Date): string {
  const parts = formatter(digits).formatToParts(at)
  const of = (wanted: string) => parts.find(({ type }) => type === wanted)?.value ?? ''
  return `${of('year').padStart(4, '0')}-${of('month')}-${of('day')}T${of('hour')}:${of('minute')}`
}

/**
 * The first moment at which the user's clock shows this value or, where a change of the clock skips
 * it, a later one; invalid without a day.
 */
export function momentOf(value: string): Date {
  const wanted = Date.parse(`${value}Z`)
  if (Number.isNaN(wanted)) return new Date(Number.NaN)
  const offsetAt = (ms: number) => Date.parse(`${inputValue(new Date(ms))}Z`) - ms
  const moments = [wanted - offsetAt(wanted - dayMs), wanted - offsetAt(wanted + dayMs)]
  return new Date(Math.min(...moments.filter((at) => inputValue(new Date(at)) >= value)))
}

const timeOfDay = { hour: '2-digit', minute: '2-digit' } as const

/** Whether the clock has twice twelve hours. */
export const isHalfDay = (): boolean => formatter(timeOfDay).resolvedOptions().hour12 === true

/** A time of day `HH:mm` as the clock shows it. */
export function timeText(time: string): string {
  const [hour = 0, minute = 0] = time.split(':').map(Number)
  return formatter({ ...timeOfDay, timeZone: 'UTC' }).format(Date.UTC(1970, 0, 1, hour, minute))
}

/** An hour of the day as the clock shows it, without minutes. */
export const hourText = (hour: number): string =>
  formatter({ hour: 'numeric', timeZone: 'UTC' }).format(Date.UTC(1970, 0, 1, hour))

/** Lag: tenths of seconds below ten seconds, else a duration. */
export function lagText(ms: number): string {
  if (ms >= 10_000) return durationText(ms / 1000)
  const seconds = new Intl.NumberFormat(region(), {
    style: 'unit',
    unit: 'second',
    unitDisplay: 'narrow',
    maximumFractionDigits: 1,
  })
  return seconds.format(ms / 1000)
}

const units = [
  ['day', dayMs],
  ['hour', hourMs],
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

const nearMs = 6 * dayMs

/** A coming moment: within six days the day of the week and the time, `Friday 18:00`. */
export function dueText(at: Date, now: Date): string {
  const leftMs = at.getTime() - now.getTime()
  const isNear = leftMs > 0 && leftMs < nearMs
  if (!isNear || isSame({ dateStyle: 'short' }, at, now)) return momentText(at, now)
  return formatter({ weekday: 'long', hour: '2-digit', minute: '2-digit' }).format(at)
}

/** A time of a few days, `Sat 20:00`. */
export const weekdayTimeText = (at: Date): string =>
  formatter({ weekday: 'short', hour: 'numeric', minute: '2-digit' }).format(at)
