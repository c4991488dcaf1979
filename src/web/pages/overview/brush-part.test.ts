import { expect, test } from 'bun:test'
import { brushed, keyStep } from './brush-part.ts'

test('a selected part holds both of its ends, in whole minutes, whichever was drawn first', () => {
  for (let seed = 1; seed < 2000; seed++) {
    const anchor = 1.7e9 + ((seed * 7919.37) % 1e6)
    const end = 1.7e9 + ((seed * 104_729.11) % 1e6)
    const { from, to } = brushed({ anchor, end })
    expect({ from, to }).toEqual(brushed({ anchor: end, end: anchor }))
    expect([from % 60, to % 60]).toEqual([0, 0])
    expect(from).toBeLessThanOrEqual(Math.min(anchor, end))
    expect(to).toBeGreaterThanOrEqual(Math.max(anchor, end))
    expect(to - from).toBeLessThan(Math.max(301, Math.abs(anchor - end) + 120))
    expect(to - from).toBeGreaterThanOrEqual(300)
  }
})

test('keys stay inside of the chart', () => {
  for (const count of [1, 2, 9, 100]) {
    for (const key of ['ArrowLeft', 'ArrowRight', 'PageUp', 'PageDown', 'Home', 'End']) {
      for (let index = 0; index < count; index++) {
        const next = keyStep(key, index, count) ?? -1
        expect(next).toBeGreaterThanOrEqual(0)
        expect(next).toBeLessThan(count)
      }
    }
  }
  expect(keyStep('ArrowLeft', 5, 10)).toBe(4)
  expect(keyStep('PageDown', 5, 100)).toBe(15)
  expect(keyStep('a', 5, 10)).toBeNull()
  expect(keyStep('End', 0, 0)).toBeNull()
})
