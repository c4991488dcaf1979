import { describe, expect, test } from 'bun:test'
import { checkCustomSchedule, nextRun, ScheduleError } from './custom.ts'
import type { CustomSchedule } from '../settings/schedule-settings.ts'

const berlin = (expression: string, window: Partial<CustomSchedule> = {}): CustomSchedule => ({
  expression,
  timeZoneId: 'Europe/Berlin',
  ...window,
})

/** The next runs after a moment. */
function runs(schedule: CustomSchedule, after: string, count: number): string[] {
  const found: string[] = []
  let from = new Date(after)
  while (found.length < count) {
    const next = nextRun(schedule, from)
    if (next === null) break
    found.push(next.toISOString().replace(':00.000Z', 'Z'))
    from = next
  }
  return found
}

describe('a calendar schedule', () => {
  test('follows the clocks of its zone', () => {
    expect(runs(berlin('0 4 * * *'), '2026-03-28T00:00:00Z', 3)).toEqual([
      '2026-03-28T03:00Z',
      '2026-03-29T02:00Z',
      '2026-03-30T02:00Z',
    ])
  })

  test('runs a skipped time when the hour is over', () => {
    expect(runs(berlin('30 2 * * *'), '2026-03-28T12:00:00Z', 2)).toEqual([
      '2026-03-29T01:00Z',
      '2026-03-30T00:30Z',
    ])
  })

  test('runs a time that occurs twice once', () => {
    expect(runs(berlin('30 2 * * *'), '2026-10-24T12:00:00Z', 2)).toEqual([
      '2026-10-25T00:30Z',
      '2026-10-26T01:30Z',
    ])
  })

  test('runs every hour of a day with 25', () => {
    expect(runs(berlin('0 * * * *'), '2026-10-24T23:30:00Z', 4)).toEqual([
      '2026-10-25T00:00Z',
      '2026-10-25T01:00Z',
      '2026-10-25T02:00Z',
      '2026-10-25T03:00Z',
    ])
  })

  test('matches the day of the month or of the week when both are given', () => {
    expect(
      runs({ expression: '0 4 13 * FRI', timeZoneId: 'UTC' }, '2026-03-07T00:00:00Z', 2),
    ).toEqual(['2026-03-13T04:00Z', '2026-03-20T04:00Z'])
    expect(
      runs({ expression: '0 4 12 * FRI', timeZoneId: 'UTC' }, '2026-03-07T00:00:00Z', 2),
    ).toEqual(['2026-03-12T04:00Z', '2026-03-13T04:00Z'])
  })

  test('starts only inside its window: from the start on, before the end', () => {
    const window = { windowStart: '04:00', windowEnd: '04:30' }
    expect(runs(berlin('*/15 * * * *', window), '2026-06-01T00:00:00Z', 3)).toEqual([
      '2026-06-01T02:00Z',
      '2026-06-01T02:15Z',
      '2026-06-02T02:00Z',
    ])
  })

  test('in a window that opens in the hour that occurs twice', () => {
    const window = { windowStart: '02:30', windowEnd: '03:30' }
    expect(runs(berlin('*/20 * * * *', window), '2026-10-25T00:00:00Z', 5)).toEqual([
      '2026-10-25T00:40Z',
      '2026-10-25T01:40Z',
      '2026-10-25T02:00Z',
      '2026-10-25T02:20Z',
      '2026-10-26T01:40Z',
    ])
  })

  test('of the night, with a window across midnight', () => {
    const window = { windowStart: '23:00', windowEnd: '01:00' }
    expect(runs(berlin('0 */1 * * *', window), '2026-06-01T12:00:00Z', 3)).toEqual([
      '2026-06-01T21:00Z',
      '2026-06-01T22:00Z',
      '2026-06-02T21:00Z',
    ])
  })

  test('on a day far away, with a window', () => {
    const window = { windowStart: '21:00', windowEnd: '23:00' }
    expect(runs(berlin('0 4,22 29 2 *', window), '2026-06-01T12:00:00Z', 1)).toEqual([
      '2028-02-29T21:00Z',
    ])
  })

  test.each([
    ['0 4 30 2 *', {}, /never/],
    ['0 4 * * *', { windowStart: '10:00', windowEnd: '12:00' }, /never/],
    ['0 4 * * *', { windowStart: '04:01', windowEnd: '04:00' }, /never/],
    ['0 4 * *', {}, /five fields/],
    ['0 0 4 * * *', {}, /five fields/],
    ['@daily', {}, /five fields/],
    ['61 * * * *', {}, /minute/],
    ['0 4 * * x', {}, /expression/],
    ['0 4 * * *', { timeZoneId: 'W. Europe Standard Time' }, /timeZoneId/],
    ['0 4 * * *', { timeZoneId: '+02:00' }, /timeZoneId/],
    ['0 4 * * *', { timeZoneId: 'Europe/Nowhere' }, /timeZoneId/],
    ['0 4 * * *', { windowStart: '04:00' }, /both/],
    ['0 4 * * *', { windowStart: '04:00', windowEnd: '04:00' }, /differ/],
    ['0 4 * * *', { windowStart: '4:00', windowEnd: '05:00' }, /HH:mm/],
    ['0 4 * * *', { windowStart: '04:00', windowEnd: '24:00' }, /HH:mm/],
  ])('%s with %j is refused', (expression, change, reason) => {
    const schedule = { ...berlin(expression), ...change }
    const check = () => checkCustomSchedule(schedule, new Date('2026-03-01T00:00:00Z'))
    expect(check).toThrow(ScheduleError)
    expect(check).toThrow(reason)
  })
})
