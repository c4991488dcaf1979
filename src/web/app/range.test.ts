import { describe, expect, test } from 'bun:test'
import { periodBefore, periodOf, rangeKey, rangeSearch, readRange, writeRange } from './range.ts'

const now = new Date('2026-11-21T12:00:30Z')

describe('range in the address', () => {
  test('keeps what it knows and drops the rest', () => {
    expect(rangeSearch({ range: '7d' })).toEqual({ range: '7d' })
    expect(rangeSearch({ range: '24h' })).toEqual({})
    expect(rangeSearch({ range: '9y' })).toEqual({})
    expect(rangeSearch({ from: '100', to: '200', range: '7d' })).toEqual({ from: 100, to: 200 })
    expect(rangeSearch({ from: '200', to: '100' })).toEqual({})
    expect(rangeSearch({ from: '-5', to: '100' })).toEqual({})
    expect(rangeSearch({ from: '', to: '1e99' })).toEqual({})
  })

  test('survives the way there and back', () => {
    for (const range of [{ span: '7d' }, { span: '24h' }, { from: 60, to: 120 }] as const) {
      expect(readRange(rangeSearch({ ...writeRange(range) }))).toEqual(range)
    }
  })
})

describe('period', () => {
  test('whole minutes that include this one', () => {
    const period = periodOf({ span: '1h' }, now)
    expect(period).toEqual({ startTime: 1795258860, endTime: 1795262460 })
    expect(periodOf({ span: 'all' }, now)).toBeNull()
    expect(periodOf({ from: 1, to: 2 }, now)).toEqual({ startTime: 1, endTime: 2 })
  })

  test('the one before has the same length and touches it', () => {
    expect(periodBefore({ startTime: 1000, endTime: 1600 })).toEqual({
      startTime: 400,
      endTime: 1000,
    })
    expect(periodBefore({ startTime: 100, endTime: 1000 })).toBeNull()
    expect(periodBefore(null)).toBeNull()
  })

  test('the key of a span does not move with the clock', () => {
    expect(rangeKey({ span: '24h' })).toBe('24h')
    expect(rangeKey({ from: 5, to: 9 })).toBe('5-9')
  })
})
