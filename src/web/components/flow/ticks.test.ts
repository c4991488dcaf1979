import { describe, expect, test } from 'bun:test'
import { inputValue, setClock } from '../../format/times.ts'
import { amountTicks, axisTop, timeTicks } from './ticks.ts'

const localSeconds = (...parts: [number, number, number, number?, number?]) =>
  new Date(...parts).getTime() / 1000

describe('marks of a time axis', () => {
  test('fall on round hours of local time', () => {
    const from = localSeconds(2026, 4, 3, 9, 12)
    const ticks = timeTicks(from, from + 86_400, 8)
    expect(ticks.map((at) => new Date(at * 1000).getHours())).toEqual([12, 15, 18, 21, 0, 3, 6, 9])
    expect(ticks.every((at) => new Date(at * 1000).getMinutes() === 0)).toBe(true)
  })

  test('fall on midnights over weeks, on months over years', () => {
    const from = localSeconds(2026, 0, 10, 5)
    const days = timeTicks(from, localSeconds(2026, 0, 24), 7)
    expect(days.map((at) => new Date(at * 1000).getHours())).toEqual(days.map(() => 0))
    const months = timeTicks(from, localSeconds(2027, 0, 10), 5)
    expect(months.map((at) => new Date(at * 1000).getMonth())).toEqual([3, 6, 9, 0])
    expect(months.every((at) => new Date(at * 1000).getDate() === 1)).toBe(true)
  })

  test('follow the chosen clock, through its changes', () => {
    const zones = ['UTC', 'America/St_Johns', 'Asia/Kathmandu', 'Australia/Lord_Howe']
    for (const timeZone of zones) {
      setClock({ timeZone })
      for (const [days, round] of [
        [1, /:00$/],
        [14, /T00:00$/],
        [365, /-01T00:00$/],
      ] as const) {
        for (let month = 0; month < 12; month++) {
          const from = Date.UTC(2026, month, 3, 5, 7) / 1000
          const ticks = timeTicks(from, from + days * 86_400, 8)
          expect(ticks.length).toBeGreaterThan(3)
          const shown = ticks.map((at) => inputValue(new Date(at * 1000)))
          expect(shown.filter((text) => !round.test(text))).toEqual([])
          expect(ticks).toEqual([...new Set(ticks)].toSorted((a, b) => a - b))
          expect(ticks.every((at) => at >= from && at <= from + days * 86_400)).toBe(true)
        }
      }
    }
    setClock({})
  })

  test('are bounded, and absent without a span or space', () => {
    expect(timeTicks(10, 10, 8)).toEqual([])
    expect(timeTicks(0, 100, 0)).toEqual([])
    expect(timeTicks(0, 300 * 365 * 86_400, 8).length).toBeLessThanOrEqual(60)
  })
})

test('amounts are round and stay below the top', () => {
  expect(amountTicks(95, 4)).toEqual([0, 50])
  expect(amountTicks(100, 4)).toEqual([0, 50, 100])
  expect(amountTicks(2_300_000, 5)).toEqual([0, 500_000, 1_000_000, 1_500_000, 2_000_000])
  expect(amountTicks(0, 4)).toEqual([0])
})

describe('upper end of the axis', () => {
  const calm = Array.from({ length: 30 }, (_, index) => 10e6 + index * 1e5)

  test('leaves some space above the highest value', () => {
    expect(axisTop([...calm, null, 0])).toBeCloseTo(12.9e6 * 1.08, 0)
  })

  test('the highest value is below it, however short the burst', () => {
    for (const length of [1, 2, 5, 30, 200]) {
      for (const burst of [1, 2, 5]) {
        const values = Array.from({ length }, (_, index) => (index < burst ? 912e6 : 20e6))
        expect(axisTop(values)).toBeGreaterThan(912e6)
      }
    }
  })

  test('noise does not fill the chart', () => {
    expect(axisTop([])).toBe(1e6)
    expect(axisTop([300])).toBe(1e6)
    expect(axisTop([3000], 1000)).toBeCloseTo(3240, 0)
  })
})
