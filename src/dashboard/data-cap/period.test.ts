import { expect, test } from 'bun:test'
import { periodAt } from './period.ts'

const dayMs = 86_400_000
const zones = ['UTC', 'America/New_York', 'Asia/Kolkata', 'Pacific/Auckland', 'Europe/Berlin']

/** Year, month, day and time of day in a zone, without the calendar that the code uses. */
function localParts(at: Date, timeZone: string) {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    dateStyle: 'short',
    timeStyle: 'medium',
  })
  const [date = '', time = ''] = format.format(at).split(', ')
  const [day = 0, month = 0, year = 0] = date.split('/').map(Number)
  return { day, month, year, time }
}

test.each(zones)(
  'months in %s begin at midnight of their day, without gaps or overlaps',
  (zone) => {
    for (const firstDay of [1, 15, 28, 29, 30, 31]) {
      // Two years with a leap day between them.
      for (let day = 0; day < 730; day += 5) {
        const now = new Date(Date.UTC(2027, 6, 1) + day * dayMs + ((day * 7_777_777) % dayMs))
        const { from, until } = periodAt(now, firstDay, zone)
        expect(from.getTime()).toBeLessThanOrEqual(now.getTime())
        expect(now.getTime()).toBeLessThan(until.getTime())
        const begins = localParts(from, zone)
        const daysOfMonth = new Date(Date.UTC(begins.year, begins.month, 0)).getUTCDate()
        expect(begins).toMatchObject({ day: Math.min(firstDay, daysOfMonth), time: '00:00:00' })
        expect(periodAt(until, firstDay, zone).from).toEqual(until)
        expect(periodAt(new Date(until.getTime() - 1), firstDay, zone).from).toEqual(from)
      }
    }
  },
)

test.each([
  ['2028-02-28T12:00:00Z', 31, '2028-01-31', '2028-02-29'],
  ['2028-02-29T12:00:00Z', 31, '2028-02-29', '2028-03-31'],
  ['2027-02-28T12:00:00Z', 30, '2027-02-28', '2027-03-30'],
  ['2027-04-30T00:00:00Z', 31, '2027-04-30', '2027-05-31'],
  ['2027-01-01T00:00:00Z', 1, '2027-01-01', '2027-02-01'],
])('at %s a month that begins on day %i lasts from %s to %s', (now, firstDay, from, until) => {
  const period = periodAt(new Date(now), firstDay, 'UTC')
  expect([period.from, period.until].map((at) => at.toISOString().slice(0, 10))).toEqual([
    from,
    until,
  ])
})
