import { Cron } from 'croner'
import { errorText } from '../lib/error-text.ts'
import type { CustomSchedule } from '../settings/schedule-settings.ts'

/** The schedule is not valid; the message says why. */
export class ScheduleError extends Error {}

const expressionCharsMax = 200
/** Occurrences outside of the window that are skipped; each is on another day. */
const skippedMax = 400
/** A schedule without a run in this time never runs. */
const searchMs = 3700 * 86_400_000
const timePattern = /^([01]\d|2[0-3]):([0-5]\d)$/
/** Offsets such as `+02:00` and names of Windows are no names of the time zone database. */
const zonePattern = /^[A-Za-z][\w+-]*(?:\/[\w+-]+)*$/

interface Window {
  start: string
  end: string
}

function windowOf({ windowStart, windowEnd }: CustomSchedule): Window | null {
  const [start, end] = [windowStart ?? null, windowEnd ?? null]
  if (start === null && end === null) return null
  if (start === null || end === null) {
    throw new ScheduleError('windowStart, windowEnd: give both or none')
  }
  for (const time of [start, end]) {
    if (!timePattern.test(time)) {
      throw new ScheduleError(`windowStart, windowEnd: ${JSON.stringify(time)} is not HH:mm`)
    }
  }
  if (start === end) throw new ScheduleError('windowStart, windowEnd: must differ')
  return { start, end }
}

const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3))

const isInside = ({ start, end }: Window, time: string): boolean =>
  start < end ? time >= start && time < end : time >= start || time < end

const wallClock = (timeZone: string) =>
  new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })

const localTime = (at: Date, timeZone: string): string => wallClock(timeZone).format(at)

const cronOf = (expression: string, timezone: string) =>
  new Cron(expression, { timezone, mode: '5-part' })

/** Every day at this time. */
const dailyAt = (time: string, timeZone: string) =>
  cronOf(`${Number(time.slice(3))} ${Number(time.slice(0, 2))} * * *`, timeZone)

/** Whether some time of day of the expression lies inside the window. */
function hasTimeInside(expression: string, { start, end }: Window): boolean {
  const [minute, hour] = expression.trim().split(/\s+/)
  const opening = new Date(`2026-01-01T${start}:00.000Z`)
  const closing = new Date(`2026-01-0${start < end ? 1 : 2}T${end}:00.000Z`)
  const first = cronOf(`${minute} ${hour} * * *`, 'UTC').nextRun(new Date(opening.getTime() - 1000))
  return first !== null && first < closing
}

/** Throws ScheduleError when the expression, the zone or the window is not valid. */
function partsOf(schedule: CustomSchedule): { cron: Cron; window: Window | null } {
  const { expression, timeZoneId } = schedule
  const isNamed = zonePattern.test(timeZoneId) && timeZoneId.length <= 100
  if (!isNamed || !isZone(timeZoneId)) {
    throw new ScheduleError('timeZoneId: not a name of the IANA time zone database')
  }
  // croner also knows nicknames such as @daily.
  if (expression.length > expressionCharsMax || expression.trim().split(/\s+/).length !== 5) {
    throw new ScheduleError('expression: needs five fields, such as 30 4 * * MON')
  }
  const window = windowOf(schedule)
  try {
    return { cron: cronOf(expression, timeZoneId), window }
  } catch (cause) {
    const reason = errorText(cause)
    throw new ScheduleError(`expression: ${reason}`, { cause })
  }
}

function isZone(timeZone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

/**
 * The first run after a moment; null if there is none. A time that the change to daylight saving
 * time skips runs when the hour is over; one that occurs twice runs once. Throws ScheduleError.
 */
export function nextRun(schedule: CustomSchedule, after: Date): Date | null {
  const { cron, window } = partsOf(schedule)
  const { timeZoneId } = schedule
  if (window !== null && !hasTimeInside(schedule.expression, window)) return null
  const opening = window === null ? null : dailyAt(window.start, timeZoneId)
  let from = after
  for (let skipped = 0; skipped < skippedMax; skipped++) {
    const found = cron.nextRun(from)
    if (found === null || found.getTime() - after.getTime() > searchMs) return null
    if (window === null || opening === null) return found
    const time = localTime(found, timeZoneId)
    if (isInside(window, time)) return found
    const opensMs = opening.nextRun(found)?.getTime() ?? Infinity
    // A window that opens in an hour that occurs twice opens twice; croner knows its first opening.
    const waitMinutes = (minutesOf(window.start) - minutesOf(time) + 1440) % 1440
    from = new Date(Math.min(opensMs, found.getTime() + waitMinutes * 60_000) - 1000)
  }
  return null
}

/** Whether a run may start now. */
export function isOpen(schedule: CustomSchedule, now: Date): boolean {
  const window = windowOf(schedule)
  return window === null || isInside(window, localTime(now, schedule.timeZoneId))
}

/** A window of every day, prepared for many questions; its times are valid. */
export function dailyWindow(window: Window, timeZoneId: string) {
  const clock = wallClock(timeZoneId)
  const [opens, closes] = [dailyAt(window.start, timeZoneId), dailyAt(window.end, timeZoneId)]
  const isOpenAt = (at: Date): boolean => isInside(window, clock.format(at))
  const minutes = (minutesOf(window.end) - minutesOf(window.start) + 1440) % 1440
  return {
    /** Of a day without a change of the clock. */
    openMs: minutes * 60_000,
    isSameTime: (at: Date, later: Date): boolean => clock.format(at) === clock.format(later),
    isOpen: isOpenAt,
    changeAfter: (at: Date): Date | null => (isOpenAt(at) ? closes : opens).nextRun(at),
  }
}

/** Throws ScheduleError when the schedule is not valid or never runs. */
export function checkCustomSchedule(schedule: CustomSchedule, now: Date): void {
  if (nextRun(schedule, now) === null) {
    throw new ScheduleError('customSchedule: never runs in the next ten years')
  }
}
