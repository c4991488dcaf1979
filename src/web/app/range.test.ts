import { describe, expect, test } from 'bun:test'
import { periodBefore, periodOf, rangeKey, rangeSearch, readRange, writeRange } from './range.ts'

const now = new Date('2026-11-21T12:00:30Z')

describe('range in the URL', () => {
  test('keeps valid values and drops the rest', () => {
    expect(rangeSearch({ range: '7d' })).toEqual({ range: '7d' })
    expect(rangeSearch({ range: '24h' })).toEqual({})
    expect(rangeSearch({ range: '9y' })).toEqual({})
    expect(rangeSearch({ start: '100', end: '200', range: '7d' })).toEqual({ start: 100, end: 200 })
    expect(rangeSearch({ start: '200', end: '100' })).toEqual({})
    expect(rangeSearch({ start: '-5', end: '100' })).toEqual({})
    expect(rangeSearch({ start: '', end: '1e99' })).toEqual({})
    expect(rangeSearch({ event: '7', range: 'all' })).toEqual({ event: 7 })
    expect(rangeSearch({ event: '7', range: '24h' })).toEqual({ event: 7, range: '24h' })
    for (const event of ['0', '-1', '1.5', 'x', '']) expect(rangeSearch({ event })).toEqual({})
  })

  test('an event is shown over all time unless a span is chosen', () => {
    expect(readRange({ event: 7 })).toEqual({ span: 'all', event: 7 })
    expect(readRange({ event: 7, range: '7d' })).toEqual({ span: '7d', event: 7 })
    expect(readRange({ event: 7, start: 1, end: 2 })).toEqual({ from: 1, to: 2, event: 7 })
  })

  test('survives the round trip', () => {
    const ranges = [
      { span: '7d' },
      { span: '24h' },
      { from: 60, to: 120 },
      { span: 'all', event: 3 },
      { span: '24h', event: 3 },
      { from: 60, to: 120, event: 3 },
    ] as const
    for (const range of ranges) {
      expect(readRange(rangeSearch({ ...writeRange(range) }))).toEqual(range)
    }
  })
})

describe('period', () => {
  test('whole minutes including the current one', () => {
    const period = periodOf({ span: '1h' }, now)
    expect(period).toEqual({ startTime: 1795258860, endTime: 1795262460 })
    expect(periodOf({ span: 'all' }, now)).toBeNull()
    expect(periodOf({ from: 1, to: 2 }, now)).toEqual({ startTime: 1, endTime: 2 })
  })

  test('the preceding one has the same length and is adjacent', () => {
    expect(periodBefore({ from: 1000, to: 1600 }, now)).toEqual({ startTime: 400, endTime: 1000 })
    expect(periodBefore({ from: 100, to: 1000 }, now)).toBeNull()
    expect(periodBefore({ span: 'all' }, now)).toBeNull()
  })

  test('the key of a span does not change with time', () => {
    expect(rangeKey({ span: '24h' })).toBe('24h')
    expect(rangeKey({ from: 5, to: 9 })).toBe('5-9')
    expect(rangeKey({ span: 'all', event: 3 })).not.toBe(rangeKey({ span: 'all' }))
  })
})
