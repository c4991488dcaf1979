import { expect, test } from 'bun:test'
import { InFlight } from './in-flight.ts'

/** Runs windows of ten seconds on a disk that does at most `best` directories at once faster. */
function limits(best: number, windows: number): number[] {
  const inFlight = new InFlight(0)
  const seen: number[] = []
  for (let window = 1; window <= windows; window++) {
    inFlight.note(1000 * Math.min(inFlight.limit, best), window * 10_000)
    seen.push(inFlight.limit)
  }
  return seen
}

test('more at once while it helps, one step back where it does not', () => {
  expect(limits(16, 5)).toEqual([8, 16, 32, 16, 16])
  expect(limits(4, 3)).toEqual([8, 4, 4])
  expect(limits(1000, 7)).toEqual([8, 16, 32, 64, 64, 64, 64])
})

test('after two minutes it is tried again', () => {
  expect(limits(16, 17).slice(-2)).toEqual([32, 16])
})

test('short windows and few files tell nothing', () => {
  const inFlight = new InFlight(0)
  inFlight.note(10_000, 4999)
  inFlight.note(10, 5001)
  expect(inFlight.limit).toBe(8)
  inFlight.note(63, 20_000)
  expect(inFlight.limit).toBe(8)
})
