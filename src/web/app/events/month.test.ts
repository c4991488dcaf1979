import { describe, expect, test } from 'bun:test'
import { firstWeekday } from '../../format/weekday.ts'
import { barsOf, dayKey, dayOf, touches, weekNumber, weeksOf } from './month.ts'
import { daysOf } from './times.ts'

const day = (year: number, month: number, date: number, hour = 0) =>
  new Date(year, month - 1, date, hour)
const event = (name: string, start: Date, end: Date) => {
  const span = { startTimeUtc: start.toISOString(), endTimeUtc: end.toISOString() }
  const { startTimeUtc: startTimeLocal, endTimeUtc: endTimeLocal } = span
  return { name, ...span, ...daysOf({ ...span, startTimeLocal, endTimeLocal }) }
}

describe('weeks of a month', () => {
  test("begin with the region's first weekday", () => {
    expect(firstWeekday('de-DE')).toBe(1)
    expect(firstWeekday('en-US')).toBe(7)
    const monday = weeksOf(day(2026, 11, 21), 1)
    expect(monday.map((week) => dayKey(week[0] ?? day(1970, 1, 1)))).toEqual([
      '2026-10-26',
      '2026-11-02',
      '2026-11-09',
      '2026-11-16',
      '2026-11-23',
      '2026-11-30',
    ])
    const sunday = weeksOf(day(2026, 11, 1), 7)
    expect(dayKey(sunday[0]?.[0] ?? day(1970, 1, 1))).toBe('2026-11-01')
    expect(sunday).toHaveLength(5)
  })

  test('have seven days each, even when the clock changes', () => {
    for (const month of [3, 10]) {
      const days = weeksOf(day(2026, month, 1), 1).flat()
      expect(new Set(days.map(dayKey)).size).toBe(days.length)
      expect(days.every((date) => date.getHours() === 0)).toBe(true)
    }
  })

  test.each([
    ['2026-01-01', 1, 1],
    ['2027-01-01', 53, 1],
    ['2024-12-30', 1, 1],
    ['2026-11-22', 47, 48],
    ['2026-12-26', 52, 52],
  ])('%s is in week %d from Mondays, %d from Sundays', (key, iso, other) => {
    const numberOf = (firstDay: number) => {
      const weeks = weeksOf(dayOf(key.slice(0, 7)) ?? new Date(), firstDay)
      return weekNumber(weeks.find((week) => week.some((one) => dayKey(one) === key)) ?? [])
    }
    // ISO 8601, and the week with January 1 as the first.
    expect([numberOf(1), numberOf(7)]).toEqual([iso, other])
  })

  test('a day in the URL is valid or dropped', () => {
    expect(dayOf('2026-02')?.getMonth()).toBe(1)
    expect(dayOf('2026-02-30')).toBeNull()
  })
})

describe('bars', () => {
  const week = weeksOf(day(2026, 11, 16), 1)[3] ?? []

  test('are stacked, longest first, and show where they continue', () => {
    const long = event('long', day(2026, 11, 13), day(2026, 11, 18, 12))
    const short = event('short', day(2026, 11, 17, 18), day(2026, 11, 17, 23))
    const next = event('next', day(2026, 11, 20), day(2026, 11, 28))
    const { bars, hidden } = barsOf([short, next, long], week, 2)
    expect(
      bars.map(({ event: { name }, column, days, lane }) => [name, column, days, lane]),
    ).toEqual([
      ['long', 0, 3, 0],
      ['short', 1, 1, 1],
      ['next', 4, 3, 0],
    ])
    expect(bars.map(({ isCutBefore, isCutAfter }) => [isCutBefore, isCutAfter])).toEqual([
      [true, false],
      [false, false],
      [false, true],
    ])
    expect(hidden).toEqual([0, 0, 0, 0, 0, 0, 0])
  })

  test('that do not fit are counted per day', () => {
    const many = ['a', 'b', 'c'].map((name) => event(name, day(2026, 11, 17), day(2026, 11, 19)))
    expect(barsOf(many, week, 2).hidden).toEqual([0, 1, 1, 0, 0, 0, 0])
  })

  test('an event that ends at midnight does not extend to the next day', () => {
    const night = event('night', day(2026, 11, 17, 20), day(2026, 11, 18))
    expect(touches(night, day(2026, 11, 17))).toBe(true)
    expect(touches(night, day(2026, 11, 18))).toBe(false)
  })
})
