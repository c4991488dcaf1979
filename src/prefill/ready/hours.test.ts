import { expect, spyOn, test } from 'bun:test'
import { Cron } from 'croner'
import { nextRun } from '../../core/schedules/custom.ts'
import { createHours } from './hours.ts'

const minuteMs = 60_000
const dayMs = 86_400_000

/** Minute by minute, with the wall clock's digits. */
function minuteWalk(hours: { start: string; end: string } | null, timeZone: string) {
  const format = new Intl.DateTimeFormat('en-GB', { timeZone, timeStyle: 'short' })
  return (at: number): boolean => {
    if (hours === null) return true
    const time = format.format(at)
    const [isAfter, isBefore] = [time >= hours.start, time < hours.end]
    return hours.start < hours.end ? isAfter && isBefore : isAfter || isBefore
  }
}

const cases = [
  ['at any time', null, 'UTC'],
  ['by day', { start: '08:15', end: '17:45' }, 'UTC'],
  ['over midnight', { start: '22:00', end: '06:00' }, 'Europe/Berlin'],
  ['over midnight, half an hour off', { start: '23:30', end: '00:10' }, 'Asia/Kolkata'],
  ['behind UTC', { start: '01:00', end: '07:59' }, 'America/St_Johns'],
] as const

test.each(cases)('allowed seconds %s are those of a walk by minutes', (_, hours, zone) => {
  const { isOpen, secondsBetween, after } = createHours(hours, zone)
  const isAllowed = minuteWalk(hours, zone)
  // In winter and in summer, away from changes of the clock.
  for (const start of ['2026-01-13T03:07:00Z', '2026-07-21T21:59:00Z', '2026-11-27T05:59:00Z']) {
    const from = Date.parse(start)
    let minutes = 0
    for (let at = from; at < from + 2.5 * dayMs; at += minuteMs) {
      if ((at - from) % (97 * minuteMs) === 0) {
        expect([at, isOpen(new Date(at))]).toEqual([at, isAllowed(at)])
        expect([at, secondsBetween(new Date(from), new Date(at))]).toEqual([at, minutes * 60])
      }
      if (!isAllowed(at)) continue
      // The whole minute is allowed: half of it has passed in its middle.
      if (minutes % 101 === 0) {
        expect(after(new Date(from), minutes * 60 + 30)).toEqual(new Date(at + minuteMs / 2))
      }
      minutes++
    }
  }
})

test.each(cases.slice(1))(
  '%s they open and close when a schedule of every minute may run',
  (_, hours, zone) => {
    const { isOpen, changeAfter } = createHours(hours, zone)
    const { start, end } = hours ?? { start: '', end: '' }
    const every = { expression: '* * * * *', timeZoneId: zone }
    const inside = { ...every, windowStart: start, windowEnd: end }
    const outside = { ...every, windowStart: end, windowEnd: start }
    // Around both changes of the clock of a year in each zone.
    for (const day of ['2026-03-08', '2026-03-29', '2026-10-25', '2026-11-01']) {
      const change = Date.parse(day)
      for (let at = change - 3 * dayMs + 30_000; at < change + 4 * dayMs; at += 7.9 * 3600_000) {
        const from = new Date(at)
        const expected = nextRun(isOpen(from) ? outside : inside, from)
        expect([from, changeAfter(from)]).toEqual([from, expected])
      }
    }
  },
)

test.each(cases.slice(1))('%s years ahead they are added up as day by day', (_, hours, zone) => {
  const changes = spyOn(Cron.prototype, 'nextRun')
  const from = new Date('2026-03-01T09:10:11Z')
  const until = new Date('2031-11-27T21:00:00Z')
  const { isOpen, changeAfter, secondsBetween, after } = createHours(hours, zone)
  let openMs = 0
  for (let at = from; at < until;) {
    const next = new Date(Math.min(changeAfter(at)?.getTime() ?? Infinity, until.getTime()))
    if (isOpen(at)) openMs += next.getTime() - at.getTime()
    at = next
  }
  expect(changes.mock.calls.length).toBeGreaterThan(4000)
  changes.mockClear()
  expect(secondsBetween(from, until)).toBe(openMs / 1000)
  const last = after(from, openMs / 1000) ?? from
  expect(secondsBetween(from, last)).toBe(openMs / 1000)
  expect(secondsBetween(from, new Date(last.getTime() - 1000))).toBe(openMs / 1000 - 1)
  // The expressions of openings and closings are slow to follow.
  expect(changes.mock.calls.length).toBeLessThan(1000)
  changes.mockRestore()
})

test('the zone is read once', () => {
  const { secondsBetween } = createHours({ start: '22:00', end: '06:00' }, 'Europe/Berlin')
  const formats = spyOn(Intl, 'DateTimeFormat')
  const from = new Date('2026-11-27T12:00:00Z')
  expect(secondsBetween(from, new Date('2026-11-29T12:00:00Z'))).toBe(16 * 3600)
  expect(formats.mock.calls.filter(([, options]) => options?.hour !== undefined)).toEqual([])
  formats.mockRestore()
})

test('what nobody will live to see is none: an estimate, a change of all-day hours', () => {
  expect(createHours(null, 'UTC').changeAfter(new Date())).toBeNull()
  const { after } = createHours({ start: '03:00', end: '03:01' }, 'UTC')
  expect(after(new Date('2026-01-01T00:00:00Z'), 1e9)).toBeNull()
  expect(createHours(null, 'UTC').after(new Date(), 1e18)).toBeNull()
})
