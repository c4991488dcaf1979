import { expect, test } from 'bun:test'
import { calendarOf, formOf } from './calendar-form.ts'

test.each([
  ['30 4 * * *', 'daily'],
  ['0 22 * * 1-5', 'weekdays'],
  ['15 3 * * 0', 'weekly'],
  ['5 0 28 * *', 'monthly'],
  ['*/10 2-5 * * MON', 'cron'],
  ['0 4 1 * 1', 'cron'],
] as const)('%s is shown as %s and stays the same', (expression, rhythm) => {
  const form = formOf({ expression, timeZoneId: 'Europe/Berlin' }, 'UTC')
  expect(form.rhythm).toBe(rhythm)
  expect(calendarOf(form)).toEqual({ expression, timeZoneId: 'Europe/Berlin' })
})

test('without a schedule the form begins with every night in the given zone', () => {
  expect(calendarOf(formOf(null, 'Asia/Tokyo'))).toEqual({
    expression: '0 4 * * *',
    timeZoneId: 'Asia/Tokyo',
  })
})

test('the window is kept, and left out when it is switched off', () => {
  const calendar = {
    expression: '0 4 * * *',
    timeZoneId: 'UTC',
    windowStart: '22:00',
    windowEnd: '05:30',
  }
  const form = formOf(calendar, 'UTC')
  expect(calendarOf(form)).toEqual(calendar)
  const { windowStart: _start, windowEnd: _end, ...rest } = calendar
  expect(calendarOf({ ...form, hasWindow: false })).toEqual(rest)
})
